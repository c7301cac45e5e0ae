// node check.mjs EVENTS TRACE: are the scalars of the event file those of the trace? TAP.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import protobuf from "protobufjs";

const { crc32c, maskCrc, readInt64 } = createRequire(import.meta.url)("@roboflow/tfrecords/src/tensorFlowHelpers.js");

/* The part of TensorFlow's event.proto and summary.proto that a scalar needs. */
const { root } = protobuf.parse(`
	syntax = "proto3";
	message Summary {
		message Value { string tag = 1; float simple_value = 2; }
		repeated Value value = 1;
	}
	message Event {
		double wall_time = 1;
		int64 step = 2;
		oneof what { string file_version = 3; Summary summary = 5; }
	}`, { keepCase: true });
const Event = root.lookupType("Event");

function read(file) {
	const data = readFileSync(file);
	const events = [];
	let at = 0;
	while (at < data.length) {
		const head = data.subarray(at, at + 8);
		const body = data.subarray(at + 12, at + 12 + readInt64(head));
		const sums = [data.readUInt32LE(at + 8), data.readUInt32LE(at + 12 + body.length)];
		if (sums[0] !== maskCrc(crc32c(head)) || sums[1] !== maskCrc(crc32c(body)))
			throw new Error("a checksum of the record at byte " + at);
		events.push(Event.toObject(Event.decode(body), { longs: Number, defaults: false }));
		at += 16 + body.length;
	}
	return events;
}

/* As TensorBoard keeps a scalar: in single precision. */
function same(events, lines) {
	let n = 0;
	for (const a of lines) {
		const of = events.filter((e) => e.summary && (e.step || 0) === a.attempt).flatMap((e) => e.summary.value);
		const scalars = new Map(of.map((v) => [v.tag, v.simple_value ?? 0]));
		const expected = [["run/best", a.best], ["run/speedup", a.speedup], ["run/score", a.verdict === "pass" ? a.score : undefined],
			["run/passes", a.verdict === "pass" ? 1 : 0], ["spent/tokens", a.tokens], ["spent/dollars", a.dollars],
			...a.cases.flatMap((c) => [["seconds/" + c.case, c.seconds], ["error/" + c.case, c.error]])];
		for (const [tag, value] of expected) {
			if (value === undefined || value === null ? scalars.has(tag) : scalars.get(tag) !== Math.fround(value))
				throw new Error(`attempt ${a.attempt}: ${tag} is ${scalars.get(tag)} and not ${value}`);
			n += value !== undefined && value !== null;
		}
	}
	return n;
}

let n = 0;
function test(name, run) {
	let said = null;
	try {
		said = run();
	} catch (e) {
		console.log(`not ok ${++n} - ${name}\n# ${e.message}`);
		process.exitCode = 1;
		return;
	}
	console.log(`ok ${++n} - ${name} (${said})`);
}

const [file, trace] = process.argv.slice(2);
let events = [];
console.log("1..3");
test("every record has its checksums and is an event", () => (events = read(file)).length + " events");
test("the first says the version, and all have a time", () => {
	if (events[0].file_version !== "brain.Event:2" || events.some((e) => !(e.wall_time > 1e9)))
		throw new Error(JSON.stringify(events[0]));
	return events[0].file_version;
});
test("each scalar is the trace's at its attempt", () =>
	same(events, readFileSync(trace, "utf8").trim().split("\n").map((line) => JSON.parse(line))) + " scalars");
