// A page in headless Chromium, driven over a pipe by the protocol of its developer tools:
//     node page.mjs check FILE LOGS AXE   the report, and one with logs: errors, requests,
//                                         keyboard, what a click opens, axe-core; TAP
//     node page.mjs shots FILE FOLDER     pictures of its parts, those of docs/img
//     node page.mjs paint FILE               milliseconds to the first paint of content
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const profile = mkdtempSync(join(tmpdir(), "avogit-chromium-"));
const chromium = spawn(process.env.CHROMIUM || "chromium", ["--headless=new", "--disable-gpu", "--no-first-run",
	"--disable-background-networking", "--remote-debugging-pipe", `--user-data-dir=${profile}`,
	...(process.getuid() === 0 ? ["--no-sandbox"] : []), "about:blank"],
{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: profile } });
const waiting = new Map();
const events = [];
let listeners = [];
let last = 0;
let rest = "";
chromium.stdio[4].setEncoding("utf8");
chromium.stdio[4].on("data", (text) => {
	const parts = (rest + text).split("\0");
	rest = parts.pop();
	for (const part of parts) {
		const message = JSON.parse(part);
		if (!message.id) {
			events.push(message);
			listeners = listeners.filter((l) => !l(message));
		} else if (message.error) {
			waiting.get(message.id)[1](new Error(message.error.message));
		} else {
			waiting.get(message.id)[0](message.result);
		}
	}
});

function send(method, params = {}, sessionId = undefined) {
	const id = ++last;
	chromium.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
	return new Promise((ok, failed) => waiting.set(id, [ok, failed]));
}

function must(ok, what) {
	if (!ok)
		throw new Error(what);
}

/* A tab of this width and scheme that has loaded the file. */
async function open(file, width, scheme) {
	const { targetId } = await send("Target.createTarget", { url: "about:blank" });
	const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
	const tab = (method, params) => send(method, params, sessionId);
	for (const domain of ["Page", "Runtime", "Log", "Network"])
		await tab(domain + ".enable");
	await tab("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: width < 500 });
	await tab("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
	events.length = 0;
	const loaded = new Promise((ok) => listeners.push((m) => m.method === "Page.loadEventFired" && !ok()));
	const url = pathToFileURL(resolve(file)).href;
	await tab("Page.navigate", { url });
	await loaded;
	const evaluate = async (expression) => {
		const r = await tab("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
		must(!r.exceptionDetails, JSON.stringify(r.exceptionDetails));
		return r.result.value;
	};
	return { url, tab, evaluate, close: () => send("Target.closeTarget", { targetId }) };
}

function complaints(page) {
	const bad = events.filter((m) => m.method === "Runtime.exceptionThrown" ||
		(m.method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(m.params.type)) ||
		m.method === "Log.entryAdded");
	const asked = events.filter((m) => m.method === "Network.requestWillBeSent" && m.params.request.url !== page.url);
	return [...bad, ...asked].map((m) => JSON.stringify(m.params));
}

async function press(page, key, code) {
	const text = key === "Enter" ? { text: "\r" } : {};
	await page.tab("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: code, ...text });
	await page.tab("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
}

/* Tab until the focus is on what matches. */
async function tabTo(page, selector) {
	for (let i = 0; i < 80; i++) {
		await press(page, "Tab", 9);
		if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`))
			return;
	}
	throw new Error("Tab does not reach " + selector);
}

async function checkKeyboard(page) {
	await tabTo(page, ".skip");
	await press(page, "Enter", 13);
	must(await page.evaluate("location.hash") === "#summary", "the first Tab does not lead to the summary");
	await tabTo(page, "input[name=axis]");
	await press(page, "ArrowRight", 39);
	must(await page.evaluate('!document.getElementById("by-hours").hidden && document.getElementById("by-attempts").hidden'),
		"the arrow key does not change the axis");
	await tabTo(page, "details summary");
	await tabTo(page, "#tree button");
	await press(page, "Enter", 13);
	must(await page.evaluate('document.querySelector("dialog").open'), "Enter on an attempt opens nothing");
	await press(page, "Escape", 27);
	must(await page.evaluate('!document.querySelector("dialog").open && document.activeElement.matches("#tree button")'),
		"Escape does not lead back");
}

/* Presses Enter on the button with this text; selectors and texts that must be seen then. */
async function follow(page, within, text, expected) {
	const said = JSON.stringify(text);
	must(await page.evaluate(`(() => {
		const b = [...document.querySelectorAll(${JSON.stringify(within + " button")})].find((e) => e.textContent === ${said});
		if (b) b.focus();
		return !!b;
	})()`), "there is no button " + text + " in " + within);
	await press(page, "Enter", 13);
	const shown = await page.evaluate('[...document.querySelectorAll("dialog[open]")].map((d) => d.innerText).join("\\n")');
	for (const e of expected)
		must(shown.includes(e), text + " leads to no " + e + ": " + shown);
}

/* From an attempt to its commit, its diff, what its failure printed, and a transcript. */
async function checkLinks(page, withLogs) {
	const failed = await page.evaluate('"#" + data.attempts.find((a) => a.verdict === "wrong").attempt');
	const log = "step-2026-11-23T16-00-00Z-00000001.jsonl";
	await follow(page, "#attempts", failed, ["What the failure printed", "kernel.c:" + failed.slice(1) + ": error"]);
	await press(page, "Escape", 27);
	await follow(page, "#attempts", "#3", ["+/* step 3 */", "Logs of the step"]);
	must(await page.evaluate('!!document.querySelector(`dialog[open] a[href$="${data.attempts[3].commit}"]`)'), "the commit is no link");
	await follow(page, "dialog", log, withLogs ? ["begin Make it faster", "no JSON", "odd no word"] : ["avogit report --logs", "git show "]);
	if (withLogs) {
		await tabTo(page, "dialog[open] summary");
		await press(page, "Enter", 13);
		must(await page.evaluate('new Promise((ok) => setTimeout(ok, 50)).then(() => document.querySelector("dialog[open] details[open] pre").innerText)') ===
			"Make it faster <b>now</b>", "an event of the transcript does not open");
		await checkAxe(page);
	}
	await press(page, "Escape", 27);
	must(await page.evaluate(`document.activeElement.textContent === ${JSON.stringify(log)}`), "Escape does not lead back to the attempt");
	await press(page, "Escape", 27);
	await follow(page, "#environment", log, [log]);
	await press(page, "Escape", 27);
}

async function checkContents(page) {
	const missing = await page.evaluate(`(() => {
		const text = document.querySelector("main").innerText;
		const words = [document.getElementById("title").innerText.replace("Run ", ""),
			data.attempts.find((a) => a.champion).commit, data.attempts.length + " attempts",
			...Object.keys(data.outcomes), ...new Set(data.attempts.map((a) => a.verdict))];
		return words.filter((w) => !text.includes(w) && !document.documentElement.textContent.includes(w));
	})()`);
	must(!missing.length, "the page lacks " + missing);
	for (const part of ["#by-dollars svg .mark", "#by-attempts svg .interval", "#figures svg .champion", "#figures svg .roof",
		"#directions button", "#environment table", '#summary a[href^="https://github.com/example/kernels/commit/"]'])
		must(await page.evaluate(`!!document.querySelector(${JSON.stringify(part)})`), "the page lacks " + part);
	must(await page.evaluate(`[...document.querySelectorAll("#figures tr")].some((r) => r.innerText.replace(/\\s+/g, " ").trim() === "dram percent 41.50 83.25")`),
		"the page lacks what the profiler counted");
	must(await page.evaluate(`document.getElementById("figures").innerText.includes("scale(float*)")`),
		"the page has a mangled name of a kernel");
	must(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window");
	must(await page.evaluate('!document.querySelector("img, iframe, main script, main link")'), "text of others became elements");
}

async function checkAxe(page) {
	const found = await page.evaluate(`axe.run(document, { resultTypes: ["violations"] })
		.then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html).join(" ")))`);
	must(!found.length, "axe-core: " + found.join("\n"));
}

async function checkPage(file, width, scheme, axe, withLogs) {
	const page = await open(file, width, scheme);
	await checkContents(page);
	await page.evaluate("scrollTo(0, 0)");
	await page.evaluate(readFileSync(axe, "utf8") + "; 0");
	await checkKeyboard(page);
	await checkAxe(page);
	await checkLinks(page, withLogs);
	const said = complaints(page);
	must(!said.length, "in the console or asked for: " + said.join("\n"));
	await page.close();
}

/* In TAP. */
async function check(file, logs, axe) {
	const pages = [1440, 390].flatMap((width) => ["light", "dark"].map((scheme) => [file, width, scheme]));
	let n = 0;
	console.log("1..5");
	for (const [which, width, scheme] of [...pages, [logs, 1440, "light"]]) {
		let failed = null;
		await checkPage(which, width, scheme, axe, which === logs).catch((e) => { failed = e; });
		console.log(`${failed ? "not ok" : "ok"} ${++n} - at ${width} pixels, ${scheme}${which === logs ? ", with logs" : ""}`);
		if (failed) {
			console.log(failed.message.replace(/^/gm, "# "));
			process.exitCode = 1;
		}
	}
}

async function shots(file, folder) {
	for (const width of [1440, 390])
		for (const scheme of ["light", "dark"]) {
			const page = await open(file, width, scheme);
			const shoot = async (name) => {
				const { data } = await page.tab("Page.captureScreenshot", { format: "png" });
				writeFileSync(join(folder, `report${name}-${width}-${scheme}.png`), Buffer.from(data, "base64"));
			};
			await shoot("");
			for (const id of ["story", "figures", "tree", "attempts", "environment"]) {
				await page.evaluate(`document.getElementById("${id}").scrollIntoView()`);
				await shoot("-" + id);
			}
			await page.evaluate("show(data.attempts.find((a) => a.champion).attempt)");
			await shoot("-attempt");
			await page.close();
		}
}

async function paint(file) {
	const page = await open(file, 1440, "light");
	const first = await page.evaluate(`new Promise((ok) => new PerformanceObserver((list, o) => {
		const e = list.getEntriesByName("first-contentful-paint")[0];
		if (e) { o.disconnect(); ok(e.startTime); }
	}).observe({ type: "paint", buffered: true }))`);
	console.log(first.toFixed(0));
}

const [what, file, second, axe] = process.argv.slice(2);
const late = setTimeout(() => {
	console.error("page.mjs: nothing came of it in 150 s");
	process.exitCode = 1;
	chromium.kill("SIGKILL");
	process.exit();
}, 150000);
try {
	await (what === "paint" ? paint(file) : what === "shots" ? shots(file, second) : check(file, second, axe));
} catch (e) {
	console.error("not ok: " + e.message);
	process.exitCode = 1;
}
clearTimeout(late);
await send("Browser.close").catch(() => 0);
await new Promise((ok) => chromium.on("exit", ok));
rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
process.exit();
