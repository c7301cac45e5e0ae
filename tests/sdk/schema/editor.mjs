// An editor with one YAML file open: the client of yaml-language-server.
import { spawn } from 'node:child_process'

// Messages of the protocol, as they come: each has a head with its length.
function reader(take) {
	let buffer = Buffer.alloc(0)
	return (data) => {
		buffer = Buffer.concat([buffer, data])
		for (;;) {
			const head = buffer.indexOf('\r\n\r\n')
			if (head < 0) return
			const end = head + 4 + Number(/Content-Length: (\d+)/.exec(buffer.subarray(0, head))[1])
			if (buffer.length < end) return
			take(JSON.parse(buffer.subarray(head + 4, end)))
			buffer = buffer.subarray(end)
		}
	}
}

export async function start() {
	const program = 'node_modules/yaml-language-server/bin/yaml-language-server'
	const server = spawn(process.execPath, [program, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
	const answered = new Map()
	const judged = new Map() // by the file's address
	let last = 0

	function send(message) {
		const text = JSON.stringify({ jsonrpc: '2.0', ...message })
		server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
	}
	function request(method, params) {
		return new Promise((done) => {
			answered.set(++last, done)
			send({ id: last, method, params })
		})
	}
	server.stdout.on('data', reader((message) => {
		if (message.method === 'textDocument/publishDiagnostics')
			judged.get(message.params.uri)?.(message.params.diagnostics)
		else if (message.method === 'workspace/configuration')
			send({ id: message.id, result: message.params.items.map(() => ({})) })
		else if (message.method && message.id !== undefined)
			send({ id: message.id, result: null })
		else if (!message.method)
			answered.get(message.id)?.(message.result)
	}))
	await request('initialize', { processId: process.pid, rootUri: null,
		capabilities: { textDocument: { completion: {} } } })
	send({ method: 'initialized', params: {} })
	send({ method: 'workspace/didChangeConfiguration',
		params: { settings: { yaml: { completion: true, validate: true, schemaStore: { enable: false } } } } })

	function open(text) {
		const uri = `file:///${++last}/avogit.yaml`
		const judgement = new Promise((done) => judged.set(uri, done))
		send({ method: 'textDocument/didOpen',
			params: { textDocument: { uri, languageId: 'yaml', version: 1, text } } })
		return { uri, judgement }
	}
	return {
		// What it offers at the end of a text.
		async offered(text) {
			const { uri } = open(text)
			const lines = text.split('\n')
			const list = await request('textDocument/completion', { textDocument: { uri },
				position: { line: lines.length - 1, character: lines.at(-1).length } })
			return (list.items ?? list).map((item) => item.label)
		},
		async complaints(text) {
			return (await open(text).judgement).map((one) => one.message)
		},
		stop: () => server.kill(),
	}
}
