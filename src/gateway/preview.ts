import { type Server, serve } from '../mcp/index.ts'

/** What of a long list of tables is shown: as the arguments of `list_tables`. */
export interface PreviewAsked {
  readonly database?: string | undefined
  readonly search?: string | undefined
  readonly cursor?: string | undefined
}

/** What a model gets of an endpoint before its first question, each part with its tokens. */
export interface Preview {
  readonly instructions: string
  /** As `tools/list` has them. */
  readonly tools: readonly PreviewedTool[]
  /** The answer of `list_tables` with columns. */
  readonly tables?: object | undefined
  /** Why there is no such answer. */
  readonly problem?: string | undefined
  /** An estimate: a token for each four characters. */
  readonly tokens: Readonly<Record<'instructions' | 'tools' | 'tables' | 'total', number>>
}

/** A tool as a model is told of it. */
export interface PreviewedTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly annotations?: object
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>
  }
}

/**
 * What a model sees of a server, asked of it as an app asks. Nothing is recorded, since the calls of a
 * server are recorded by its deployment.
 */
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
    : { problem: 'Without list_tables, a model is told of no table.' }
  const tables = 'tables' in found ? found.tables : undefined
  const tokens = {
    instructions: estimatedTokens(instructions),
    tools: estimatedTokens(JSON.stringify(tools)),
    tables: tables ? estimatedTokens(JSON.stringify(tables)) : 0,
  }
  const total = tokens.instructions + tokens.tools + tokens.tables
  return { instructions, tools, ...found, tokens: { ...tokens, total } }
}

/** The database as an argument, which the tool of a single one does not have. Unless it is said, it is the first. */
function chosen({ inputSchema: { properties } }: PreviewedTool, database: string | undefined) {
  const names = properties?.database?.enum
  return names && { database: database ?? names[0] }
}

/** About how many tokens a text costs. Models count differently, and most of them about so. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / 4)

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
  const { result, error } = await (await serve(request, { server })).json<Reply<Result>>()
  if (result) return result
  throw new Error(`The preview was refused: ${error?.message}`)
}

interface Reply<Result> {
  readonly result?: Result
  readonly error?: { readonly message: string }
}

const _meta = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'tidegate-preview', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
