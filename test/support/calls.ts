import { readRecords } from '../../src/registry/records/reading.ts'
import type { CallRecord } from '../../src/registry/records/record.ts'
import { MODERN, meta } from './mcp.ts'
import { post, type RunningWorker } from './worker.ts'

/** Calls a tool like a host of either era. */
export async function callAs(
  era: 'modern' | 'legacy',
  url: string,
  { name, args = {}, headers = {} }: CallOptions,
) {
  const call = (extra: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, ...extra },
  })
  if (era === 'modern') {
    const modern = { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name }
    return post(url, call({ _meta: meta() }), { ...modern, ...headers })
  }
  const params = {
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'test', version: '1' },
    capabilities: {},
  }
  const opened = await post(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers)
  if (opened.status !== 200) return opened
  const session = {
    'mcp-session-id': opened.headers.get('mcp-session-id')!,
    'mcp-protocol-version': '2025-11-25',
  }
  return post(url, call(), { ...session, ...headers })
}

export interface CallOptions {
  readonly name: string
  readonly args?: Record<string, unknown>
  readonly headers?: Record<string, string>
}

/** The call records of an endpoint, newest first. Waits until there are `count` of them. */
export async function recordsOf(
  worker: RunningWorker,
  endpoint: string,
  count: number,
): Promise<{ records: readonly CallRecord[]; lost: number }> {
  const env = await worker.env()
  for (;;) {
    const page = await readRecords(env, { endpoint, limit: 500 })
    if (page.records.length >= count) return page
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
