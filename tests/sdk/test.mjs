// The vendors' own clients talk to tests/model-server: what they take without
// complaint is what avogit is tested against. Run by tests/sdk/run.sh.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const program = process.env.MODEL_SERVER;
const argumentsText = '{"path":"kernel.c","lines":[1,20]}';

const children = [];
after(() => children.forEach((child) => child.kill()));

// Starts the server with a script; `stop` fails unless it was played as
// written.
async function serve(script) {
	const folder = mkdtempSync(join(tmpdir(), "avogit-sdk-"));
	const file = join(folder, "script");
	writeFileSync(file, script);
	const child = spawn(program, [file], {
		stdio: ["pipe", "pipe", "inherit"],
	});
	children.push(child);
	const [line] = await once(child.stdout, "data");
	return {
		url: `http://127.0.0.1:${String(line).trim()}`,
		async stop() {
			child.stdin.end();
			const [code] = await once(child, "exit");
			rmSync(folder, { recursive: true });
			assert.equal(code, 0);
		},
	};
}

const script = `
exchange
  want model model-1
  thinking "Let me see."
  text "I look at it: \\u00e9\\ud83d\\ude00."
  call view ${argumentsText}
  call view {}
  split 3
  usage 100 20 5 30
exchange
  text Done.
  usage 10 130 5 3
`;

const anthropicTools = [
	{
		name: "view",
		description: "Shows a file.",
		input_schema: {
			type: "object",
			properties: { path: { type: "string" } },
		},
	},
];

async function askAnthropic(client, streaming, messages) {
	const request = {
		model: "model-1",
		max_tokens: 1000,
		tools: anthropicTools,
		messages,
	};
	return streaming
		? client.messages.stream(request).finalMessage()
		: client.messages.create(request);
}

for (const streaming of [true, false])
	test(`Anthropic's client, streaming ${streaming}`, async () => {
		const server = await serve(script);
		const client = new Anthropic({
			apiKey: "none",
			baseURL: server.url,
			maxRetries: 0,
		});
		const messages = [{ role: "user", content: "Make it fast." }];
		const first = await askAnthropic(client, streaming, messages);
		assert.equal(first.stop_reason, "tool_use");
		assert.deepEqual(
			first.content.map((block) => block.type),
			["thinking", "text", "tool_use", "tool_use"],
		);
		assert.equal(first.content[0].thinking, "Let me see.");
		assert.ok(first.content[0].signature);
		assert.equal(first.content[1].text, "I look at it: \u00e9\u{1f600}.");
		assert.deepEqual(first.content[2].input, JSON.parse(argumentsText));
		assert.deepEqual(first.content[3].input, {});
		assert.equal(first.usage.input_tokens, 100);
		assert.equal(first.usage.cache_read_input_tokens, 20);
		assert.equal(first.usage.output_tokens, 30);
		messages.push({ role: "assistant", content: first.content });
		messages.push({
			role: "user",
			content: [2, 3].map((i) => ({
				type: "tool_result",
				tool_use_id: first.content[i].id,
				content: "text",
			})),
		});
		const second = await askAnthropic(client, streaming, messages);
		assert.equal(second.stop_reason, "end_turn");
		assert.equal(second.content[0].text, "Done.");
		await server.stop();
	});

const openaiTools = [
	{
		type: "function",
		function: {
			name: "view",
			description: "Shows a file.",
			parameters: anthropicTools[0].input_schema,
		},
	},
];

async function askOpenAI(client, streaming, messages) {
	const request = { model: "model-1", tools: openaiTools, messages };
	if (!streaming) return client.chat.completions.create(request);
	return client.chat.completions
		.stream({ ...request, stream_options: { include_usage: true } })
		.finalChatCompletion();
}

for (const streaming of [true, false])
	test(`OpenAI's client, streaming ${streaming}`, async () => {
		const server = await serve(script);
		const client = new OpenAI({
			apiKey: "none",
			baseURL: `${server.url}/v1`,
			maxRetries: 0,
		});
		const messages = [{ role: "user", content: "Make it fast." }];
		const first = await askOpenAI(client, streaming, messages);
		const { message, finish_reason } = first.choices[0];
		assert.equal(finish_reason, "tool_calls");
		assert.equal(message.content, "I look at it: \u00e9\u{1f600}.");
		assert.deepEqual(
			message.tool_calls.map((call) => call.function.arguments),
			[argumentsText, "{}"],
		);
		assert.equal(first.usage.prompt_tokens, 125);
		assert.equal(first.usage.prompt_tokens_details.cached_tokens, 20);
		messages.push(message);
		for (const call of message.tool_calls)
			messages.push({
				role: "tool",
				tool_call_id: call.id,
				content: "text",
			});
		const second = await askOpenAI(client, streaming, messages);
		assert.equal(second.choices[0].finish_reason, "stop");
		assert.equal(second.choices[0].message.content, "Done.");
		await server.stop();
	});

async function askResponses(client, streaming, input) {
	const request = {
		model: "model-1",
		tools: [{ type: "function", ...openaiTools[0].function }],
		store: false,
		include: ["reasoning.encrypted_content"],
		input,
	};
	return streaming
		? client.responses.stream(request).finalResponse()
		: client.responses.create(request);
}

for (const streaming of [true, false])
	test(`OpenAI's client by Responses, streaming ${streaming}`, async () => {
		const server = await serve(script);
		const client = new OpenAI({
			apiKey: "none",
			baseURL: `${server.url}/v1`,
			maxRetries: 0,
		});
		const input = [{ role: "user", content: "Make it fast." }];
		const first = await askResponses(client, streaming, input);
		assert.equal(first.status, "completed");
		assert.deepEqual(
			first.output.map((item) => item.type),
			["reasoning", "message", "function_call", "function_call"],
		);
		assert.equal(first.output_text, "I look at it: \u00e9\u{1f600}.");
		assert.ok(first.output[0].encrypted_content);
		const calls = first.output.slice(2);
		assert.deepEqual(
			calls.map((call) => call.arguments),
			[argumentsText, "{}"],
		);
		assert.equal(first.usage.input_tokens, 125);
		assert.equal(first.usage.input_tokens_details.cached_tokens, 20);
		input.push(...first.output);
		for (const call of calls)
			input.push({
				type: "function_call_output",
				call_id: call.call_id,
				output: "text",
			});
		const second = await askResponses(client, streaming, input);
		assert.equal(second.output_text, "Done.");
		await server.stop();
	});

// Each fault as the clients name it.
const faults = [
	["status 429\n  body {}", "RateLimitError"],
	["status 500\n  body {}", "InternalServerError"],
	["status 401\n  body {}", "AuthenticationError"],
	["status 404\n  body {}", "NotFoundError"],
	["cut 100\n  text abc", undefined],
];

for (const [fault, name] of faults)
	test(`both clients see: ${fault.split("\n")[0]}`, async () => {
		const server = await serve(
			`exchange\n  ${fault}\nexchange\n  ${fault}\n`,
		);
		const options = { apiKey: "none", maxRetries: 0 };
		const anthropic = new Anthropic({ ...options, baseURL: server.url });
		const openai = new OpenAI({
			...options,
			baseURL: `${server.url}/v1`,
		});
		const messages = [{ role: "user", content: "x" }];
		for (const attempt of [
			() => askAnthropic(anthropic, true, messages),
			() => askOpenAI(openai, true, messages),
		])
			await assert.rejects(attempt, (error) => {
				if (name) assert.equal(error.constructor.name, name);
				return true;
			});
		await server.stop();
	});

test("both clients try again when told to", async () => {
	const again = "exchange\n  status 503\n  header retry-after-ms: 1\n";
	const server = await serve(
		`${again}exchange\n  text a\n${again}exchange\n  text b\n`,
	);
	const options = { apiKey: "none", maxRetries: 1 };
	const messages = [{ role: "user", content: "x" }];
	const a = await askAnthropic(
		new Anthropic({ ...options, baseURL: server.url }),
		true,
		messages,
	);
	const b = await askOpenAI(
		new OpenAI({ ...options, baseURL: `${server.url}/v1` }),
		true,
		messages,
	);
	assert.equal(a.content[0].text, "a");
	assert.equal(b.choices[0].message.content, "b");
	await server.stop();
});
