// The official SDK lists and calls every tool of `avogit mcp` and evolves the
// matrix product by two attempts: node client.mjs AVOGIT REPOSITORY
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [avogit, cwd] = process.argv.slice(2);
const transport = new StdioClientTransport({
  command: avogit,
  args: ["mcp", "--run", "sdk"],
  cwd,
  env: process.env,
  stderr: "inherit",
});
const client = new Client({ name: "avogit-test", version: "1" });
await client.connect(transport);

const called = new Set();

// Asks for the answer of a call until it is there.
async function poll(r) {
  for (let m; (m = /^handle: (\S+)/.exec(r.content[0].text)); ) {
    called.add("result");
    r = await client.callTool({
      name: "result",
      arguments: { handle: m[1], wait: 30 },
    });
  }
  return r;
}

async function call(name, args = {}) {
  called.add(name);
  const first = await client.callTool({ name, arguments: args });
  const r = await poll(first);
  const { text } = r.content[0];
  console.log(`${name}: ${text.split("\n")[0]}`);
  return { text, failed: r.isError, waited: first !== r };
}

const { tools } = await client.listTools();
const names = tools.map((t) => t.name);
for (const t of tools) {
  assert.ok(t.description, t.name);
  assert.equal(t.inputSchema.type, "object", t.name);
}

// In this order, each with what its answer holds.
const uses = [
  ["workspace", {}, /^workspace: .*\ntask: matmul/],
  ["view", { path: "kernel.c" }, /#define KC 64/],
  ["search", { pattern: "define +MR" }, /kernel\.c/],
  ["edit", { path: "kernel.c", old: "#define KC 64", new: "#define KC 256" }, /kernel\.c/],
  ["build", {}, /^it builds/],
  ["score", { subject: "KC 256", hypothesis: "fewer passes over C" }, /^attempt #1 /],
  ["shell", { command: "sed -i 's/define MR 4/define MR 6/' kernel.c" }, /\[changed: kernel\.c\]/],
  ["lineage", {}, /KC 256/],
  ["show", { attempt: "1" }, /fewer passes over C/],
  ["diff", { from: "start", to: "1" }, /\+#define KC 256/],
  ["notes", { add: "registers first" }, /registers first/],
  ["knowledge", { query: "register blocking" }, /^\[avogit\//],
  ["knowledge", { query: "fewer passes over C", count: 1 }, /run sdk: #1 KC 256/],
];
for (const [name, args, expected] of uses) {
  const r = await call(name, args);
  assert.ok(!r.failed, `${name}: ${r.text}`);
  assert.match(r.text, expected, name);
}

const program = await call("microbenchmark", {
  source: '#include <stdio.h>\nint main(void) { puts("a word"); return 0; }\n',
});
assert.match(program.text, /^a word/);
await client.ping();

// A handle at once, and the answer by `result`.
const second = await call("score", {
  subject: "MR 6",
  hypothesis: "more of C in registers",
  wait: 0,
});
assert.ok(second.waited, "a call with wait 0 gave no handle");
assert.match(second.text, /^attempt #2 /);
const lost = await client.callTool({
  name: "result",
  arguments: { handle: "score-99" },
});
assert.ok(lost.isError && /no call has this handle/.test(lost.content[0].text));

// One point of the tunables that the kernel declares.
const sweep = await call("tune", { attempts: 1 });
assert.match(sweep.text, /^1 point, best first/);

const best = await call("show", { attempt: "best", path: "kernel.c" });
assert.ok(!(await call("write", { path: "kernel.c", text: best.text })).failed);
assert.ok(!(await call("restore", { attempt: "best" })).failed);

for (const name of names) assert.ok(called.has(name), `no call of ${name}`);
for (const name of called) assert.ok(names.includes(name), `${name} is not listed`);
await client.close();
console.log(`${names.length} tools, 3 attempts`);
