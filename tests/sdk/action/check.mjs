// What a runner does with a workflow and a composite action, as far as this one uses
// it: GitHub's parser reads them, GitHub's expressions are evaluated, and bash runs
// the script with the flags that a runner gives it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { convertActionTemplate, parseAction } from "@actions/workflow-parser/actions/index";

const top = process.env.TOP;
const repo = join(process.cwd(), "repo");
const trace = new NoOperationTraceWriter();

function git(...args) {
	return spawnSync("git", args, { cwd: repo, encoding: "utf8" }).stdout.trim();
}

/* The values of nested objects as GitHub's expressions have them. */
function context(value) {
	if (typeof value === "string")
		return new data.StringData(value);
	return new data.Dictionary(
		...Object.entries(value).map(([key, v]) => ({ key, value: context(v) })));
}

/* A scalar of a template: text, or an expression with what it is evaluated on. */
function evaluate(token, values) {
	if (token.expression === undefined)
		return token.toString();
	const tokens = new Lexer(token.expression).lex().tokens;
	const expression = new Parser(tokens, Object.keys(values), []).parse();
	return new Evaluator(expression, context(values)).evaluate().coerceString();
}

/* A mapping as an object of texts. */
function texts(mapping, values) {
	const out = {};
	for (let i = 0; mapping && i < mapping.count; i++) {
		const { key, value } = mapping.get(i);
		out[key.toString()] = evaluate(value, values);
	}
	return out;
}

function readWorkflow() {
	const content = /```yaml\n(name: kernels\n[^]*?)```/.exec(readFileSync(join(top, "docs/gate.md"), "utf8"))[1];
	const file = { name: "kernels.yml", content };
	return { content, parsed: parseWorkflow(file, trace) };
}

function readAction() {
	const content = readFileSync(join(top, "dist/action/action.yml"), "utf8");
	const parsed = parseAction({ name: "action.yml", content }, trace);
	return { content, parsed, action: convertActionTemplate(parsed.context, parsed.value) };
}

/* The parser leaves `with` out of its template. */
function withOf(what) {
	const found = [];
	const walk = (token) => {
		for (let i = 0; token && token.count !== undefined && i < token.count; i++) {
			const entry = token.get(i);
			const value = entry.value ?? entry;
			if (entry.key?.toString() === "uses" && value.toString().includes(what))
				found.push(token);
			walk(value);
		}
	};
	walk(readWorkflow().parsed.value);
	return found[0].find("with");
}

/* Runs the action's step with these inputs; what a runner would keep of it. */
function act(inputs) {
	const { action } = readAction();
	const step = action.runs.steps[0];
	const folder = mkdtempSync(join(process.cwd(), "runner-"));
	const all = {};
	for (const i of action.inputs)
		all[i.id] = inputs[i.id] ?? i.default?.toString() ?? "";
	for (const name of ["output", "summary", "script"])
		writeFileSync(join(folder, name), "");
	assert.equal(step.run.expression, undefined, "the script has no expression");
	writeFileSync(join(folder, "script"), step.run.toString());
	const ran = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", join(folder, "script")], {
		cwd: repo,
		encoding: "utf8",
		env: {
			...process.env,
			...texts(step.env, { inputs: all }),
			RUNNER_TEMP: folder,
			GITHUB_OUTPUT: join(folder, "output"),
			GITHUB_STEP_SUMMARY: join(folder, "summary"),
		},
	});
	const outputs = Object.fromEntries(readFileSync(join(folder, "output"), "utf8").trim().split("\n")
		.map((line) => line.split(/=(.*)/)));
	const said = {};
	for (const o of action.outputs)
		said[o.id] = evaluate(o.value, { steps: { [step.id]: { outputs } } });
	return { code: ran.status, text: ran.stdout + ran.stderr, said, summary: readFileSync(join(folder, "summary"), "utf8") };
}

test("GitHub's parser reads the workflow and the action without a complaint", async () => {
	const { parsed } = readWorkflow();
	assert.deepEqual(parsed.context.errors.getErrors(), []);
	assert.deepEqual(readAction().parsed.context.errors.getErrors(), []);
	const workflow = await convertWorkflowTemplate(parsed.context, parsed.value);
	assert.deepEqual(workflow.errors ?? [], []);
	assert.ok(workflow.events.pull_request);
	assert.equal(workflow.jobs[0]["runs-on"].get(0).toString(), "self-hosted");
});

test("no secret is asked for, no token is kept, and nothing may write", async () => {
	for (const text of [readWorkflow().content, readAction().content])
		assert.doesNotMatch(text, /secrets|pull_request_target|github\.token|write/);
	assert.match(readWorkflow().content, /\npermissions:\n {2}contents: read\n/);
	assert.equal(texts(withOf("checkout"), {})["persist-credentials"], "false");
});

test("the workflow gives inputs that the action has, and the base is the event's", async () => {
	const sha = git("rev-parse", "base");
	const given = texts(withOf("dist/action"), { github: { event: { pull_request: { base: { sha } } } } });
	const known = readAction().action.inputs.map((i) => i.id);
	assert.equal(given.base, sha);
	for (const name of Object.keys(given))
		assert.ok(known.includes(name), name);
	git("checkout", "-q", "merge-faster");
	const ran = act(given);
	assert.equal(ran.code, 0, ran.text);
	assert.equal(ran.said.answer, "yes");
	assert.match(ran.summary, /faster: 1\.200x/);
	assert.equal(readFileSync(ran.said.verdict, "utf8"), ran.summary);
});

test("a slower merge fails, unless the loss is allowed", () => {
	git("checkout", "-q", "merge-slower");
	const ran = act({ base: "base" });
	assert.equal(ran.code, 1, ran.text);
	assert.equal(ran.said.answer, "no");
	assert.match(ran.summary, /\*\*slower\*\*: 0\.970x/);
	assert.equal(act({ base: "base", allow: "4" }).code, 0);
	assert.equal(act({ base: "base", allow: "4", claim: "1.1", task: "avogit.yaml", time: "9s" }).code, 1);
});

test("a merge that changes what measures is open: a warning, or a failure", () => {
	git("checkout", "-q", "merge-measure");
	const warned = act({ base: "base" });
	assert.equal(warned.code, 0, warned.text);
	assert.equal(warned.said.answer, "open");
	assert.match(warned.text, /^::warning::/m);
	assert.equal(act({ base: "base", undecided: "fail" }).code, 2);
});

test("what is no answer is an error, and no warning", () => {
	for (const inputs of [{ base: "nothing" }, { base: "base", allow: "some" }, { base: "--help" },
		{ base: "base", head: "$(touch ran)" }]) {
		const ran = act(inputs);
		assert.notEqual(ran.code, 0, ran.text);
		assert.equal(ran.said.answer, "error");
	}
	assert.equal(git("status", "--porcelain"), "");
});
