import { type Server, serve } from '../../mcp/index.ts'
import { estimatedTokens } from '../answer/answer.ts'

/** The part of a long list of tables to show: the arguments of `list_tables`. */
export interface PreviewAsked {
  readonly database?: string | undefined
  readonly search?: string | undefined
  readonly cursor?: string | undefined
}

/** The text that a model gets from an endpoint before its first question, with the number of tokens in each part. */
export interface Preview {
  readonly instructions: string
  /** The tools as `tools/list` returns them. */
  readonly tools: readonly PreviewedTool[]
  /** The result of `list_tables` with columns. */
  readonly tables?: object | undefined
  /** The reason that `tables` is missing. */
  readonly problem?: string | undefined
  /** An estimate: one token for every four characters. */
  readonly tokens: Readonly<Record<'instructions' | 'tools' | 'tables' | 'total', number>>
}

/** A tool as it is described to a model. */
export interface PreviewedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly annotations?: object
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  }
}

/** Shows a server as a model sees it, by calling it like an app. Nothing is recorded: only deployments record calls. */
export async function previewOf(
  server: Server,
  { database, search, cursor }: PreviewAsked,
  signal: AbortSignal,
): Promise<Preview> {
  const instructions = server.instructions ?? ''
  const { tools = [] } = await ask<{ tools?: PreviewedTool[] }>(server, 'tools/list', {}, signal)
  const listing = tools.find(({ name }) => name === 'list_tables')
  const found = listing
    ? await listed(server, { ...chosen(listing, database), search, cursor, detail: true }, signal)
    : { problem: 'Without list_tables, a model does not see any table.' }
  const tables = 'tables' in found ? found.tables : undefined
  const tokens = {
    instructions: estimatedTokens(instructions),
    tools: estimatedTokens(JSON.stringify(tools)),
    tables: tables ? estimatedTokens(JSON.stringify(tables)) : 0,
  }
  const total = tokens.instructions + tokens.tools + tokens.tables
  return { instructions, tools, ...found, tokens: { ...tokens, total } }
}

/** The `database` argument, which a tool for a single database does not have. The first one by default. */
function chosen({ inputSchema: { properties } }: PreviewedTool, database: string | undefined) {
  const names = properties?.database?.enum
  return names && { database: database ?? names[0] }
}

interface CallResult {
  readonly isError?: boolean
  readonly structuredContent?: object
  readonly content: readonly { readonly text?: string }[]
}

async function listed(server: Server, given: object, signal: AbortSignal) {
  const params = { name: 'list_tables', arguments: given }
  const result = await ask<CallResult>(server, 'tools/call', params, signal)
  return result.isError
    ? { problem: result.content[0]?.text ?? '' }
    : { tables: result.structuredContent ?? {} }
}

const VERSION = '2026-07-28'

async function ask<Result>(
  server: Server,
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Result> {
  const named = params.name === undefined ? {} : { 'mcp-name': String(params.name) }
  const request = new Request('https://preview.invalid/mcp', {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...named,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  })
  const { result, error } = await (await serve(request, { server })).json<PreviewReply<Result>>()
  if (result) return result
  throw new Error(`The preview was refused: ${error?.message}`)
}

interface PreviewReply<Result> {
  readonly result?: Result
  readonly error?: { readonly message: string }
}

const _meta = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'tidegate-preview', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
