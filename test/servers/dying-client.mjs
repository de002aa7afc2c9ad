// A host that a test kills: it starts a command, and sends requests until then.
// node dying-client.mjs ERA LONG QUICK COMMAND ARGS…
import { spawn } from 'node:child_process'

const [era, long, quick, command, ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
// The test needs the process id to kill the command.
console.log(child.pid)
child.stdout.resume()
child.stdin.on('error', () => {})

const client = { name: 'dying', version: '1' }
const _meta =
  era === 'modern'
    ? {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': client,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
    : {}
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
let id = 0
const ask = (method, params = {}) => send({ id: ++id, method, params: { ...params, _meta } })
const query = (sql) => ask('tools/call', { name: 'query', arguments: { sql } })

if (era === 'legacy') {
  ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: client })
  send({ method: 'notifications/initialized' })
} else {
  ask('subscriptions/listen', { notifications: { toolsListChanged: true } })
}
ask('tools/list')
query(long)
setInterval(() => query(quick), 40)
setTimeout(() => query(long), 600)
