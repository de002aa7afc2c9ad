// The gateway without a pipe: for each line with a number, the core makes that many tool calls.
import { createInterface } from 'node:readline'
import { bringUpToDate } from '../scripts/up-to-date.mjs'

bringUpToDate()
const { openGateway } = await import('../lib/node/index.js')
const { serve } = await import('../lib/mcp/index.js')
const message = JSON.parse(process.argv[2])
const gateway = await openGateway({ variables: JSON.parse(process.argv[3]) })
const options = await gateway.stdio()
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': message.method,
  'mcp-name': message.params.name,
}

async function call() {
  const init = { method: 'POST', headers, body: JSON.stringify(message) }
  const response = await serve(new Request('http://127.0.0.1/mcp', init), options)
  const { result } = await response.json()
  if (!result || result.isError) throw new Error(JSON.stringify(result))
}

for await (const line of createInterface({ input: process.stdin })) {
  for (let n = 0; n < Number(line); n++) await call()
  console.log('done')
}
process.exit()
