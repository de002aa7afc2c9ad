import { expect, test } from 'vitest'
import * as z from 'zod'
import {
  memorySessions,
  type Server,
  serve,
  ToolError,
  ToolResult,
  tool,
} from '../../../src/mcp/index.ts'

const rows = { rows: [['Ada'], ['Grace']] }
const link = { type: 'resource_link', uri: 'test://rest', name: 'rest' } as const
const run = (name: string, result: () => unknown) =>
  tool({ name, description: 'Answers.', input: z.object({}), run: result })
const server: Server = {
  name: 'rows',
  version: '1.0.0',
  tools: [
    run('plain', () => rows),
    run('formatted', () => new ToolResult([{ type: 'text', text: 'name\nAda\nGrace' }], rows)),
    run('linked', () => new ToolResult([{ type: 'text', text: 'see there' }, link], rows)),
    run('text', () => 'Ada and Grace'),
    run('wrong', () => {
      throw new ToolError('There is no such table.')
    }),
  ],
}

/** Calls a tool in a session, as a client with this name and revision does. */
async function called(client: string, name: string, version = '2025-11-25') {
  const sessions = memorySessions(() => server)
  const send = async (method: string, params: object, more: Record<string, string> = {}) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...more,
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body })
    return serve(request, { server, sessions })
  }
  const clientInfo = { name: client, version: '1' }
  const opened = await send('initialize', {
    ...{ protocolVersion: version, capabilities: {}, clientInfo },
  })
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
    'mcp-protocol-version': version,
  }
  const answer = await send('tools/call', { name, arguments: {} }, session)
  return ((await answer.json()) as { result: { content: object[]; structuredContent?: object } })
    .result
}

test('a client that gives the model both forms gets only one: Cline', async () => {
  expect(await called('@cline/core', 'plain')).toEqual({ content: [], structuredContent: rows })
  expect(await called('@cline/core', 'formatted')).toEqual({ content: [], structuredContent: rows })
  expect(await called('@cline/core', 'linked')).toEqual({
    content: [link],
    structuredContent: rows,
  })
})

test('a result that has only one form stays unchanged', async () => {
  const text = [{ type: 'text', text: 'Ada and Grace' }]
  expect(await called('@cline/core', 'text')).toEqual({ content: text })
  const wrong = await called('@cline/core', 'wrong')
  expect(wrong.content).toEqual([{ type: 'text', text: 'There is no such table.' }])
  // This revision has no structured content.
  const old = await called('@cline/core', 'plain', '2025-03-26')
  expect(old).toEqual({ content: [{ type: 'text', text: JSON.stringify(rows) }] })
})

test('all other clients get both forms', async () => {
  for (const client of ['claude-code', 'Cline', 'constructor', '']) {
    const { content, structuredContent } = await called(client, 'plain')
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(rows) }])
    expect(structuredContent).toEqual(rows)
  }
})
