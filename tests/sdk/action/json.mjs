// The packages import JSON without the attribute that node asks for since version 20.
import { readFileSync } from "node:fs";
import { register } from "node:module";
import { fileURLToPath } from "node:url";

export async function load(url, context, next) {
	if (!url.endsWith(".json"))
		return next(url, context);
	const text = readFileSync(fileURLToPath(url), "utf8");
	return { format: "module", shortCircuit: true, source: `export default ${text}` };
}

/* Once for the program, and not again where its hooks are loaded. */
if (!process.env.AVOGIT_JSON_HOOK) {
	process.env.AVOGIT_JSON_HOOK = "1";
	register(import.meta.url);
}
