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

async function call(name, args = {}) {
  let progress = 0;
  let r = await client.callTool({ name, arguments: args }, undefined, {
    onprogress: () => progress++,
  });
  for (let m; (m = /^handle: (\S+)/.exec(r.content[0].text)); )
    r = await client.callTool({
      name: "result",
      arguments: { handle: m[1] },
    });
  console.log(`${name}: ${r.content[0].text.split("\n")[0]}`);
  return { text: r.content[0].text, failed: r.isError };
}

const { tools } = await client.listTools();
const names = tools.map((t) => t.name);
const use = {
  workspace: {},
  view: { path: "kernel.c" },
  search: { pattern: "define +MR" },
  edit: { path: "kernel.c", old: "#define KC 64", new: "#define KC 256" },
  build: {},
  score: { subject: "KC 256", hypothesis: "fewer passes over C" },
  shell: { command: "sed -i 's/define MR 4/define MR 6/' kernel.c" },
  profile: {},
  lineage: {},
  show: { attempt: "1" },
  diff: { from: "start", to: "1" },
  notes: { add: "registers first" },
  knowledge: { query: "registers" },
};
for (const [name, args] of Object.entries(use)) {
  assert.ok(names.includes(name), name);
  const r = await call(name, args);
  assert.ok(!r.failed || ["profile", "knowledge"].includes(name), r.text);
}
await client.ping();
const second = await call("score", {
  subject: "MR 6",
  hypothesis: "more of C in registers",
  wait: 0,
});
assert.match(second.text, /^attempt #2 /);
const best = await call("show", { attempt: "best", path: "kernel.c" });
assert.ok(!(await call("write", { path: "kernel.c", text: best.text })).failed);
assert.ok(!(await call("restore", { attempt: "best" })).failed);
for (const name of names)
  assert.ok(
    name in use || ["write", "restore", "result"].includes(name),
    `no call of ${name}`,
  );
await client.close();
console.log(`${names.length} tools, 2 attempts`);
