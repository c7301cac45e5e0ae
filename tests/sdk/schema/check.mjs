// check.mjs SCHEMA TOP: what the schema of task files accepts and refuses.
import Ajv from 'ajv'
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'
import { start } from './editor.mjs'

const [schemaFile, top] = process.argv.slice(2)
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false, strictRequired: false })
const accepts = ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')))
let tests = 0

function say(fine, name, lines = []) {
	for (const line of lines) console.log(`# ${line}`)
	console.log(`${fine ? '' : 'not '}ok ${++tests} - ${name}`)
	if (!fine) process.exitCode = 1
}

function* yamlFiles(folder) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name)
		if (entry.isDirectory()) yield* yamlFiles(path)
		else if (entry.name.endsWith('.yaml')) yield path
	}
}

// ---- tasks that are right ----------------------------------------------------

function whyNot(text) {
	return accepts(parse(text)) ? [] : ajv.errorsText(accepts.errors, { separator: '\n' }).split('\n').slice(0, 6)
}

function acceptsAll(folder, least) {
	const lines = []
	let n = 0
	for (const path of yamlFiles(join(top, folder))) {
		const text = readFileSync(path, 'utf8')
		if (!/^(cases|score):/m.test(text) || text.includes("{n: SIZE}")) continue // no task, or a template of one
		n++
		const why = whyNot(text)
		if (why.length) lines.push(`${path}:`, ...why)
	}
	say(n >= least && !lines.length, `${n} tasks of ${folder}/ are accepted`, lines)
}

acceptsAll('examples', 14)
acceptsAll('tests', 40)
const shown = readFileSync(join(top, 'docs/task.md'), 'utf8').match(/```yaml\n(name: matmul[\s\S]*?)```/)[1]
say(!whyNot(shown).length, 'the task that docs/task.md shows is accepted', whyNot(shown))

// ---- tasks that are wrong ----------------------------------------------------

// The table of bad tasks in C: string literals and macros that stand beside each other.
const source = readFileSync(join(top, 'tests/unit/core/test_task.c'), 'utf8').replace(/\\\n/g, ' ')
const macros = new Map()
for (const [, name, value] of source.matchAll(/^#define (\w+)\s+(".*|[A-Z"].*)$/gm)) macros.set(name, value)

function literal(text) {
	return JSON.parse(text.replace(/\\x([0-9a-f]{1,2})/g, (_, hex) => '\\u' + hex.padStart(4, '0'))
		.replace(/\\0/g, '\\u0000').replace(/\\'/g, "'"))
}

function expand(code) {
	let out = ''
	for (const [word] of code.matchAll(/"(?:[^"\\]|\\.)*"|\w+/g))
		out += word[0] === '"' ? literal(word) : expand(macros.get(word))
	return out
}

function withArgument(code) {
	return code.replace(/WITH\(([\s\S]*)\)$/, 'HEAD ARGUMENTS "  - " $1 "\\n" REST')
}

const table = source.slice(source.indexOf('} bad[] = {'), source.indexOf('assert_null(t)'))
	.replace(/\/\*.*?\*\//gs, '')
const bad = [...table.matchAll(/\{((?:"(?:[^"\\]|\\.)*"|[^"{}])*?),\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)\}/g)]
	.map(([, code, message]) => ({ text: expand(withArgument(code.trim())), message: expand(message) }))

// What needs more than a schema: YAML itself, other keys' values, files, other words.
const beyond = [
	'empty', 'no YAML', 'there twice', 'second document', 'anchors', 'NUL',
	"flops' or 'bytes", 'direction out, inout or return', 'no case gives a value', 'share a place', 'too large',
	"'k' is missing", 'LOW..HIGH', '-fplugin', '-O2 -o x', 'name of a program', '-lNAME', 'not both',
	'throughput only', 'stay in the repository', "without '..'", 'at most 60 letters', 'uses z', 'uses nan',
	'dtype holds', "'name' is missing", 'two members', 'digit first', 'cases: found the symbol', "not 'count'",
]
const lines = []
let refused = 0
for (const { text, message } of bad) {
	let task
	try {
		task = parse(text)
	} catch {
		continue
	}
	if (!accepts(task)) refused++
	else if (!beyond.some((part) => message.includes(part))) lines.push(`accepted: ${message}: ${text.slice(-80)}`)
}
say(bad.length >= 55 && refused >= 25 && !lines.length,
	`of ${bad.length} bad tasks ${refused} are refused; the rest only a program can refuse`, lines)

// A key of each mapping that is there for no task, and a value of another type.
const good = parse(shown)
const wrong = []
function tryWrong(path, change) {
	const task = structuredClone(good)
	change(task)
	if (accepts(task)) wrong.push(path)
}
for (const key of Object.keys(good)) {
	tryWrong(key, (task) => { task[key] = { nonsense: 1 } })
	tryWrong(`${key}x`, (task) => { task[`${key}x`] = task[key] })
}
say(!wrong.filter((path) => path !== 'operator').length, 'a key with nonsense in it, or a letter too many, is refused', wrong)

// ---- in an editor --------------------------------------------------------------

const editor = await start()
const head = `# yaml-language-server: $schema=${resolve(schemaFile)}\nname: x\n`
async function offers(text, wanted) {
	const offered = await editor.offered(head + text)
	const lost = wanted.filter((word) => !offered.includes(word))
	say(!lost.length, `an editor offers ${wanted} after ${JSON.stringify(text)}`, lost.length ? [`only: ${offered}`] : [])
}
await offers('lang', ['language', 'sources', 'score'])
await offers('language: ', ['c', 'cuda', 'c++', 'python'])
await offers('budget:\n  ', ['attempts', 'time', 'money'])
await offers('arguments:\n  - name: x\n    ', ['dtype', 'shape', 'workspace'])
const complaints = await editor.complaints(`${head}languag: c\nthreads: 0\n`)
say(complaints.some((text) => /languag/.test(text)) && complaints.some((text) => /minimum of 1/.test(text)),
	'it complains of a wrong key, and of a value out of bounds', complaints)
editor.stop()
console.log(`1..${tests}`)
