"use strict";
/* All text of the data is shown by textContent; nothing is parsed as HTML. */
const data = JSON.parse(document.getElementById("data").textContent);
const byNumber = new Map(data.attempts.map((a) => [a.attempt, a]));
const byCommit = new Map(data.attempts.map((a) => [a.commit, a]));
const page = 200;

function make(name, text, className) {
	const e = document.createElement(name);
	if (text !== undefined && text !== null)
		e.textContent = String(text);
	if (className)
		e.className = className;
	return e;
}

function add(parent, ...children) {
	for (const c of children)
		parent.append(c);
	return parent;
}

function ratio(x) {
	if (!Number.isFinite(x))
		return "-";
	return (x < 10 ? x.toFixed(3) : x.toFixed(1)) + "x";
}

/* A commit by the first of its digits. */
function short(name) {
	return /^[0-9a-f]{40}/.test(name) ? name.slice(0, 12) : name;
}

function rate(x, unit) {
	if (!(x > 0))
		return "-";
	const prefixes = ["", "k", "M", "G", "T", "P"];
	const i = Math.max(0, Math.min(5, Math.floor(Math.log10(x) / 3)));
	return (x / 1000 ** i).toPrecision(3) + " " + prefixes[i] + (unit || "");
}

function table(heads, rows, numbers) {
	const t = make("table");
	const head = add(make("thead"), make("tr"));
	heads.forEach((h, i) => {
		const th = make("th", h, numbers.includes(i) ? "number" : "");
		th.scope = "col";
		head.firstChild.append(th);
	});
	const body = make("tbody");
	for (const row of rows) {
		const tr = make("tr");
		row.forEach((cell, i) => {
			const td = make("td", null, numbers.includes(i) ? "number" : "");
			td.append(cell instanceof Node ? cell : String(cell));
			tr.append(td);
		});
		body.append(tr);
	}
	const around = make("div", null, "scroll");
	around.tabIndex = 0;
	return add(around, add(t, head, body));
}

function section(id, title) {
	const s = make("section");
	const h = make("h2", title);
	s.id = id;
	h.id = "h-" + id;
	s.setAttribute("aria-labelledby", h.id);
	document.getElementById("rest").append(add(s, h));
	return s;
}

/* Text that may be wider than the page: the keyboard can scroll it. */
function box(text) {
	const pre = make("pre", text);
	pre.tabIndex = 0;
	return pre;
}

function patch(text) {
	const pre = box();
	for (const line of text.split("\n")) {
		const kind = line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "";
		add(pre, make("span", line, kind), "\n");
	}
	return pre;
}

/* ---- one attempt, one log ------------------------------------------------ */

function makeDialog(label) {
	const d = make("dialog");
	d.setAttribute("aria-label", label);
	document.body.append(d);
	return d;
}
const dialog = makeDialog("An attempt");
const reader = makeDialog("A log");

function closes(d) {
	const b = make("button", "Close");
	b.addEventListener("click", () => d.close());
	return b;
}

/* As one word of a shell: names of logs come from other people's clones. */
function quoted(text) {
	return /^[\w.:@%+,\/-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

/* A commit, as a link where a forge shows what was pushed. */
function commit(id, text) {
	const code = make("code", text || id);
	if (!data.commits_url || !/^[0-9a-f]{40,64}$/.test(id))
		return code;
	const a = make("a");
	a.href = data.commits_url + id;
	a.rel = "noreferrer";
	return add(a, code);
}

const readLog = (l) => "git show " + quoted(l.commit + ":" + l.name);

function show(n) {
	const a = byNumber.get(n);
	if (!a)
		return;
	const rows = [["outcome", a.outcome], ["verdict", a.verdict || "-"], ["why", a.why || "-"],
		["speed relative to the start", ratio(a.speedup)], ["score", rate(a.score, a.unit)],
		["commit", commit(a.commit)], ["parent", commit(a.parent || "-")],
		["lineage", a.lineage], ["time", a.time]];
	const step = data.steps.find((s) => s.attempt === n && s.patch);
	const diff = step ? step.patch : a.patch;
	const commands = ["avogit show " + a.commit, "avogit diff " + a.commit, "git show " + a.commit];
	const logs = logsOf(a);
	dialog.replaceChildren(make("h2", "#" + a.attempt + " " + (a.subject || "")),
		make("p", a.hypothesis || ""), table(["what", "value"], rows, []),
		...(diff ? [make("h3", "Diff"), patch(diff)] : []),
		...(a.log ? [make("h3", "What the failure printed"), box(a.log)] : []),
		...(logs.length ? [make("h3", "Logs of the step"), add(make("ul"), ...logs.map((l) => add(make("li"), logLink(l))))] : []),
		make("h3", "In the repository"), box(commands.join("\n")), closes(dialog));
	dialog.showModal();
}

/* A transcript is a line of JSON for each event, which is opened by a click. */
function event(line) {
	let e = null;
	try {
		e = JSON.parse(line);
	} catch {
		/* It was cut here, or is a line of something else. */
	}
	if (!e || typeof e !== "object" || typeof e.event !== "string")
		return box(line);
	/* Of others: String() of an object may be a call of what is no function. */
	const word = (x) => typeof x === "string" ? x : "";
	const said = word(e.text);
	const d = make("details");
	add(d, make("summary", word(e.time).slice(11, 19) + " " + e.event + " " + (word(e.name) || said).slice(0, 100)));
	d.addEventListener("toggle", () => {
		if (d.children.length > 1)
			return;
		if (said)
			add(d, box(said));
		delete e.text;
		add(d, box(JSON.stringify(e, null, 1)));
	});
	return d;
}

function read(l) {
	const text = [];
	if (l.text !== undefined && l.name.endsWith(".jsonl"))
		text.push(...l.text.split("\n").filter((line) => line).map(event));
	else if (l.text !== undefined)
		text.push(box(l.text));
	else
		text.push(make("p", "Its text is not in this report: it may be private, and is there with avogit report --logs, unless it is very large."));
	if (l.cut)
		text.push(make("p", "It was cut here.", "faint"));
	reader.replaceChildren(make("h2", l.name), make("p", l.bytes + " bytes. In the repository:"), box(readLog(l)),
		...text, closes(reader));
	reader.showModal();
}

function logLink(l) {
	const b = make("button", l.name);
	b.addEventListener("click", () => read(l));
	return b;
}

/* The transcripts that were written when it was made: a log is named by its begin, and
 * kept at its end. Of several at that time those that name its commit. */
function logsOf(a) {
	const made = Date.parse(a.time) / 1000;
	const then = data.logs.filter((l) => {
		const named = /(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)/.exec(l.name);
		return named && Date.parse(named[1] + named.slice(2).join(":") + "Z") / 1000 <= made && made <= l.time + 1;
	});
	const naming = then.filter((l) => l.text && l.text.includes(a.commit));
	return naming.length ? naming : then;
}

function link(a) {
	const b = make("button", "#" + a.attempt);
	b.addEventListener("click", () => show(a.attempt));
	return b;
}

document.getElementById("trajectory").addEventListener("click", (e) => {
	const n = e.target.dataset ? e.target.dataset.n : undefined;
	if (n !== undefined)
		show(Number(n));
});
for (const r of document.querySelectorAll("input[name=axis]"))
	r.addEventListener("change", () => {
		for (const of of document.querySelectorAll("input[name=axis]"))
			document.getElementById("by-" + of.value).hidden = !of.checked;
	});

/* ---- the parts ----------------------------------------------------------- */

function summary() {
	const best = data.attempts.find((a) => a.champion);
	const at = document.getElementById("summary-text");
	document.getElementById("title").textContent = "Run " + data.run;
	add(at, make("p", best
		? "The champion is #" + best.attempt + ": " + ratio(best.speedup) +
			" the speed of the start, " + rate(best.score, best.unit) + "."
		: "No champion: " + data.nearest + "."));
	if (data.maybe_faster)
		add(at, make("p", "Maybe faster: " + data.maybe_faster + ", but the machine was not steady."));
	if (data.again)
		add(at, add(make("p", "To measure it again, which may crown it: "), make("code", data.again)));
	if (best)
		add(at, add(make("p"), link(best), " ", commit(best.commit, best.commit.slice(0, 12)), " " + (best.subject || "")));
	const counts = Object.entries(data.outcomes).map(([k, v]) => v + " " + k).join(", ");
	const n = data.attempts.length - 1;
	add(at, make("p", n + (n === 1 ? " attempt (" : " attempts (") + counts + ") in " +
		span(data.spent_seconds) + ", by " + (data.operator || "-") +
		", on " + ((best || {}).machine || data.machine || "-") + "."));
	if (data.interventions.length)
		document.getElementById("trajectory").append(make("p",
			"s: the supervisor stepped in (see Environment).", "faint"));
	if (data.spend)
		add(at, make("p", "Spent: " + Object.entries(data.spend).map(([k, v]) =>
			k.replace("_", " ") + " " + (k === "dollars" ? v.toFixed(2) : v)).join(", ") + "."));
}

function story() {
	const s = section("story", "The champion's story");
	if (data.steps.length < 2)
		add(s, make("p", "There is no step after the start."));
	data.steps.slice(1).forEach((step, i) => {
		const a = byNumber.get(step.attempt);
		const d = make("details");
		d.open = data.steps.length <= 8;
		add(d, make("summary", i + 1 + ". #" + a.attempt + ", " + ratio(a.speedup) + ": " + (a.subject || "")),
			make("p", a.hypothesis || ""), patch(step.patch));
		add(s, d);
	});
}

function figures() {
	const s = section("figures", data.champion ? "Figures of the champion" : "Figures of the start");
	const m = data.champion || data.start;
	if (!m || m.verdict !== "pass") {
		add(s, make("p", "It has none."));
		return;
	}
	const unit = data.attempts[0].unit;
	if ((m.comparisons || []).length)
		add(s, make("h3", "Against"), table(["rival", "ratio", "95 % interval", "told", "confirmed"],
			m.comparisons.map((c) => [c.rival + " " + short(c.name), ratio(c.ratio),
				ratio(c.low) + " to " + ratio(c.high), c.told, c.confirmed ? "yes" : "no"]), [1]));
	const before = new Map(((data.start || {}).cases || []).map((c) => [c.name, c]));
	const factor = (data.tolerance || {}).factor;
	/* Of what is allowed, which is so many times the error of plain arithmetic. */
	const error = (c) => !c ? "-" : c.error.toPrecision(3) +
		(factor ? " (" + (c.error * factor).toPrecision(3) + "x plain)" : "");
	const percent = (x) => x ? (x * 100).toPrecision(3) + " %" : "-";
	add(s, make("h3", "Cases"),
		table(["case", "time", "spread", "rate", "share of the ceiling",
			...(m.comparisons || []).map((c) => "vs " + short(c.name))],
			(m.cases || []).map((c, i) => [c.name, c.seconds ? (c.seconds * 1000).toPrecision(4) + " ms" : "-",
				percent(c.spread), rate(c.rate, unit), percent(c.ceiling),
				...(m.comparisons || []).map((k) => ratio((k.case_ratios || [])[i]))]),
			[1, 2, 3, 4, ...(m.comparisons || []).map((c, i) => 5 + i)]),
		make("p", "Spread: half of what the middle half of the launches differed by.", "faint"),
		make("h3", "Numerical error, of what is allowed"),
		table(["case", "here", "at the start"],
			(m.cases || []).map((c) => [c.name, error(c), error(before.get(c.name))]), [1, 2]),
		make("p", factor ? "What is allowed is " + factor + " times the error of plain arithmetic in the kernel's own " +
			"precision, both against the reference." : "The task says what is allowed (rtol, atol, or equal).", "faint"));
	resources(s, m);
	profiles(s);
	roofline(s, m);
}

/* What the compiler says of the kernels on a GPU, before and after. */
function resources(s, m) {
	const kernels = (of) => (of || {}).kernels || [];
	const plain = (name) => Object.hasOwn(data.kernel_names, name) ? data.kernel_names[name] : name;
	const rows = [];
	for (const [when, of] of [["start", data.start], ["champion", data.champion]])
		for (const k of kernels(of))
			rows.push([when, plain(k.name), k.registers ?? "-", (k.spill_stores ?? 0) + (k.spill_loads ?? 0), k.shared ?? "-", k.stack ?? "-"]);
	if (rows.length)
		add(s, make("h3", "Resources of the kernels"),
			table(["when", "kernel", "registers", "spilled, bytes", "shared memory, bytes", "stack, bytes"], rows, [2, 3, 4, 5]));
}

/* What a profiler counted, where it was kept: of an attempt before, and of the champion. */
function profiles(s) {
	for (const list of data.profiles) {
		const last = list[list.length - 1];
		const names = [...new Set(list.flatMap((p) => Object.keys(p.facts)))];
		/* A name that others chose may be one that every object has. */
		const value = (x) => typeof x !== "number" ? "-" : Number.isInteger(x) ? x : x.toPrecision(4);
		add(s, make("h3", "Counted by the profiler: " + (last.case || "")),
			make("p", list.map((p) => "#" + p.attempt + ": " + [p.kernel, p.gpu].filter((t) => t).join(", on ")).join("; ") + "."),
			table(["figure", ...list.map((p) => "#" + p.attempt)],
				names.map((n) => [n.replaceAll("_", " "), ...list.map((p) => value(p.facts[n]))]), list.map((p, i) => i + 1)));
		for (const p of list)
			if (p.bottlenecks.length)
				add(s, make("p", "Likeliest bottlenecks of #" + p.attempt + ": " +
					p.bottlenecks.map((b) => (b.name || "") + " (" + (b.figures || "") + ")").join("; ") + "."));
	}
}

/* Work for each byte against work for each second. The roof over a case is known where
 * its share of the ceiling was measured. */
function roofline(s, m) {
	const points = [];
	const of = (name) => (data.work || []).find((w) => w.case === name && w.flops && w.bytes);
	for (const [when, what] of [["start", data.start], ["champion", data.champion]])
		for (const c of (what && what.verdict === "pass" && what.cases) || []) {
			const w = of(c.name);
			const y = w && c.seconds > 0 ? w.flops / c.seconds : 0;
			/* A journal from elsewhere may say any number: the axes end at the largest. */
			if (!(y > 0 && y < 1e30))
				continue;
			points.push({ when, name: c.name, x: w.flops / w.bytes, y, roof: y / c.ceiling < 1e30 ? y / c.ceiling : 0 });
		}
	if (!points.length)
		return;
	add(s, make("h3", "Roofline"), roofPicture(points),
		table(["when", "case", "flop for each byte", "rate", "bandwidth", "roof here"], points.map((p) => [p.when, p.name,
			p.x.toPrecision(3), rate(p.y, "flop/s"), rate(p.y / p.x, "byte/s"), rate(p.roof, "flop/s")]), [2, 3, 4, 5]),
		make("p", "Flops and bytes are those that the task states. " + (points.some((p) => p.roof)
			? "The roof is what the card was measured to do at most, for the work of this case."
			: "No ceiling was measured on this machine, so there is no roof."), "faint"));
}

function roofPicture(points) {
	const ns = document.querySelector("#by-attempts svg").namespaceURI;
	const svg = document.createElementNS(ns, "svg");
	const put = (name, at, text) => {
		const e = document.createElementNS(ns, name);
		for (const [k, v] of Object.entries(at))
			e.setAttribute(k, v);
		if (text !== undefined)
			e.textContent = text;
		svg.append(e);
	};
	const range = (list) => [Math.floor(Math.log10(Math.min(...list))), Math.ceil(Math.log10(Math.max(...list)) + 1e-9)];
	const xs = range(points.map((p) => p.x));
	const ys = range(points.flatMap((p) => p.roof ? [p.y, p.roof] : [p.y]));
	xs[1] = Math.max(xs[1], xs[0] + 1);
	ys[1] = Math.max(ys[1], ys[0] + 1);
	const x = (v) => (80 + (Math.log10(v) - xs[0]) / (xs[1] - xs[0]) * 820).toFixed(1);
	const y = (v) => (300 - (Math.log10(v) - ys[0]) / (ys[1] - ys[0]) * 270).toFixed(1);
	svg.setAttribute("viewBox", "0 0 960 350");
	svg.setAttribute("role", "img");
	svg.setAttribute("aria-label", "Roofline; the table below has its numbers");
	for (let i = xs[0]; i <= xs[1]; i++) {
		put("path", { class: "grid", d: "M" + x(10 ** i) + ",30V300" });
		put("text", { x: x(10 ** i), y: 320, "text-anchor": "middle" }, Number((10 ** i).toPrecision(1)) + " flop/byte");
	}
	for (let i = ys[0]; i <= ys[1]; i++) {
		put("path", { class: "grid", d: "M80," + y(10 ** i) + "H900" });
		put("text", { x: 74, y: y(10 ** i), "text-anchor": "end" }, rate(10 ** i, "flop/s"));
	}
	for (const p of points) {
		if (p.roof)
			put("path", { class: "roof", d: "M" + x(p.x) + "," + y(p.roof) + "m-12,0h24" });
		put("circle", { class: p.when === "champion" ? "champion" : "other", cx: x(p.x), cy: y(p.y), r: 5 });
	}
	const around = make("div", null, "scroll");
	around.tabIndex = 0;
	return add(around, svg);
}

/* A clock of others may have said anything. */
function at(seconds) {
	const d = new Date(seconds * 1000);
	return Number.isNaN(d.getTime()) ? "-" : d.toISOString().slice(0, 19) + "Z";
}

function push(map, key, value) {
	if (!map.has(key))
		map.set(key, []);
	map.get(key).push(value);
}

function span(seconds) {
	return seconds < 7200 ? (seconds / 60).toFixed(1) + " minutes" : (seconds / 3600).toFixed(1) + " hours";
}

function tree() {
	const s = section("tree", "Tree of what was kept");
	const children = new Map();
	const tried = new Map();
	for (const a of data.attempts) {
		const parent = byCommit.has(a.parent) ? a.parent : "";
		if (a.attempt !== 0 && !a.accepted)
			tried.set(parent, (tried.get(parent) || 0) + 1);
		else if (a.attempt !== 0)
			push(children, parent, a);
	}
	/* A line of single children stays at its level. */
	const seen = new Set();
	const grow = (first) => {
		const list = make("ul", null, "tree");
		let row = first;
		while (row.length) {
			const next = [];
			for (const a of row) {
				if (seen.has(a.commit))
					continue;
				seen.add(a.commit);
				const more = tried.get(a.commit);
				const li = add(make("li"), link(a), " " + ratio(a.speedup) + " " + (a.subject || ""),
					make("span", more ? " (" + more + " tried on it, not kept)" : "", "faint"));
				list.append(li);
				const below = children.get(a.commit) || [];
				if (row.length === 1 && below.length === 1)
					next.push(...below);
				else if (below.length)
					li.append(grow(below));
			}
			row = next;
		}
		return list;
	};
	add(s, grow(data.attempts.filter((a) => a.attempt === 0)));
}

/* What did not help, by the direction in which it was tried. */
function directions() {
	const s = section("directions", "What did not help, by direction");
	for (const d of data.directions) {
		const all = data.attempts.filter((a) => a.lineage === d.lineage && a.attempt !== 0);
		const failed = all.filter((a) => !a.accepted);
		const reasons = new Map();
		for (const a of failed)
			push(reasons, a.outcome + (a.verdict && a.verdict !== "pass" ? ": " + a.verdict : ""), a);
		add(s, make("h3", "Lineage " + d.lineage + ", from #" + d.from),
			make("p", d.reason || "The first lineage."));
		if (d.direction)
			add(s, box(d.direction));
		add(s, make("p", all.length + " attempts, " + (all.length - failed.length) + " kept"));
		if (reasons.size)
			add(s, table(["came to", "how many", "the last of them", "what was tried"],
				[...reasons].sort((a, b) => b[1].length - a[1].length).map(([why, list]) => {
					const links = make("span");
					for (const a of list.slice(-5))
						add(links, link(a), " ");
					return [why, list.length, links, list[list.length - 1].subject || ""];
				}), [1]));
	}
}

function attempts() {
	const s = section("attempts", "Attempts");
	const controls = make("p", null, "controls");
	const word = make("input");
	const which = make("select");
	const where = make("div");
	word.type = "search";
	for (const o of ["all", ...Object.keys(data.outcomes)])
		add(which, make("option", o));
	add(controls, add(make("label", "contains "), word), " ", add(make("label", "outcome "), which));
	let shown = page;
	const draw = () => {
		const text = word.value.toLowerCase();
		const of = (a) => which.value === "all" || a.outcome === which.value ||
			(which.value === "failed" && a.verdict && a.verdict !== "pass");
		const list = data.attempts.filter((a) => of(a) &&
			[a.subject, a.hypothesis, a.why, a.commit].join("\n").toLowerCase().includes(text));
		const rows = list.slice(0, shown).map((a) => [link(a), ratio(a.speedup), rate(a.score, a.unit),
			a.outcome, a.subject || "", a.why || ""]);
		where.replaceChildren(make("p", list.length + " attempts", "faint"),
			table(["attempt", "speed", "score", "outcome", "what was tried", "why it failed"], rows, [1, 2]));
		if (list.length > shown) {
			const more = make("button", "Show more");
			more.addEventListener("click", () => {
				shown += page;
				draw();
			});
			where.append(more);
		}
	};
	word.addEventListener("input", draw);
	which.addEventListener("change", draw);
	add(s, controls, where);
	draw();
}

function environment() {
	const s = section("environment", "Environment");
	const m = data.champion || data.start || {};
	add(s, table(["what", "value"], Object.entries(m.environment || {}).map(([k, v]) => [k, v]), []));
	if (data.interventions.length)
		add(s, make("h3", "Interventions of the supervisor"), table(["after attempts", "trigger", "reason", "direction"],
			data.interventions.map((w) => [w.after_attempts, w.trigger || "", w.reason || "", w.direction || ""]), [0]));
	if (data.logs.length)
		add(s, make("h3", "Logs"), table(["log", "bytes", "kept at"],
			data.logs.map((l) => [logLink(l), l.bytes, at(l.time)]), [1]));
	const c = section("caveats", "Caveats");
	const list = make("ul");
	for (const text of data.caveats)
		add(list, make("li", text));
	add(c, list);
}

summary();
story();
figures();
tree();
directions();
attempts();
environment();
