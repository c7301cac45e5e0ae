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
	return add(make("div", null, "scroll"), add(t, head, body));
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

function patch(text) {
	const pre = make("pre");
	pre.tabIndex = 0;
	for (const line of text.split("\n")) {
		const kind = line[0] === "+" ? "added" : line[0] === "-" ? "removed" : "";
		add(pre, make("span", line, kind), "\n");
	}
	return pre;
}

/* ---- one attempt --------------------------------------------------------- */

const dialog = make("dialog");
dialog.setAttribute("aria-label", "An attempt");
document.body.append(dialog);

function show(n) {
	const a = byNumber.get(n);
	if (!a)
		return;
	const close = make("button", "Close");
	close.addEventListener("click", () => dialog.close());
	const rows = [["outcome", a.outcome], ["verdict", a.verdict || "-"], ["why", a.why || "-"],
		["speed relative to the start", ratio(a.speedup)], ["score", rate(a.score, a.unit)],
		["commit", make("code", a.commit)], ["parent", make("code", a.parent || "-")],
		["lineage", a.lineage], ["time", a.time]];
	dialog.replaceChildren(make("h2", "#" + a.attempt + " " + (a.subject || "")),
		make("p", a.hypothesis || ""), table(["", ""], rows, []),
		make("pre", "avogit show " + a.commit + "\navogit diff " + a.commit), close);
	dialog.showModal();
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
		document.getElementById("by-attempts").hidden = r.value !== "attempts";
		document.getElementById("by-hours").hidden = r.value === "attempts";
	});

/* ---- the parts ----------------------------------------------------------- */

function summary() {
	const best = data.attempts.find((a) => a.champion);
	const at = document.getElementById("summary-text");
	document.getElementById("title").textContent = "Run " + data.run;
	add(at, make("p", best
		? "The champion is #" + best.attempt + ": " + ratio(best.speedup) +
			" the speed of the start, " + rate(best.score, best.unit) + "."
		: "No attempt was measurably faster than the start."));
	if (best)
		add(at, add(make("p"), make("code", best.commit), " " + (best.subject || "")));
	const counts = Object.entries(data.outcomes).map(([k, v]) => v + " " + k).join(", ");
	add(at, make("p", data.attempts.length - 1 + " attempts (" + counts + ") in " +
		span(data.spent_seconds) + ", by " + (data.operator || "-") +
		", on " + (data.machine || "-") + "."));
	if (data.spend)
		add(at, make("p", "Spent: " + Object.entries(data.spend).map(([k, v]) => k + " " + v).join(", ")));
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
			m.comparisons.map((c) => [c.rival + " " + c.name, ratio(c.ratio),
				ratio(c.low) + " to " + ratio(c.high), c.told, c.confirmed ? "yes" : "no"]), [1]));
	add(s, make("h3", "Cases"), table(["case", "time", "rate", "error, of what is allowed", "share of the ceiling",
		...(m.comparisons || []).map((c) => "vs " + c.name.slice(0, 10))],
		(m.cases || []).map((c, i) => [c.name, c.seconds ? (c.seconds * 1000).toPrecision(4) + " ms" : "-",
			rate(c.rate, unit), c.error.toPrecision(3),
			c.ceiling ? (c.ceiling * 100).toFixed(1) + " %" : "-",
			...(m.comparisons || []).map((k) => ratio((k.case_ratios || [])[i]))]), [1, 2, 3, 4]));
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
		add(s, make("h3", "Interventions of the supervisor"), table(["after attempts", "trigger", "reason"],
			data.interventions.map((w) => [w.after_attempts, w.trigger || "", w.reason || ""]), [0]));
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
attempts();
environment();
