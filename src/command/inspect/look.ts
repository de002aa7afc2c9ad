// Connects to a server as hosts do, and reads its lists.
import { isObject } from '../../ground/index.ts'
import {
  fieldsOf,
  type JsonFields,
  LEGACY,
  MODERN,
  modernMeta,
  textsIn,
} from '../../host-checks/index.ts'
import { CommandFailure } from '../terminal/failure.ts'

/** A request. */
export interface McpMessage {
  readonly jsonrpc: '2.0'
  readonly id: string
  readonly method: string
  readonly params: object
}

/** A response from an untrusted server: a result, an error, or else only an HTTP status. */
export interface McpReply {
  readonly result?: unknown
  readonly error?: unknown
  readonly status?: number
}

/** The revision that a request is sent in. */
export interface SentAs {
  readonly version: string
  readonly isModern: boolean
}

/** A connection to a server. */
export interface McpConnection {
  request(message: McpMessage, sentAs: SentAs): Promise<McpReply>
  notify(message: object): Promise<void>
  close(): Promise<void>
}

/** A server that has responded to the first request. */
interface OpenedServer extends SentAs {
  readonly versions: readonly string[]
  readonly serverInfo: unknown
  readonly capabilities: JsonFields
  readonly instructions: unknown
}

/** A server's lists. */
export type InspectedServer = Awaited<ReturnType<typeof look>>

type InspectedEra = 'modern' | 'legacy'

const MAX_PAGES = 50
const MAX_ITEMS = 1_000

/** Time that a server has to respond in the newest revision before the older ones are tried. */
const MAX_SILENT_MS = 3_000

const clientInfo = { name: 'tidegate-inspect', version: '1' }

/** The tools, resources and prompts of a server. An era skips detection. */
export async function look(over: McpConnection, era?: InspectedEra) {
  const opened = await open(over, era)
  const { capabilities } = opened
  const notes: string[] = []
  const list = async (isOffered: unknown, method: string, field: string) =>
    isOffered ? await all(over, opened, notes, method, field) : []
  return {
    opened: opened.version,
    versions: opened.versions,
    server: fieldsOf(opened.serverInfo),
    capabilities,
    instructions: typeof opened.instructions === 'string' ? opened.instructions : undefined,
    tools: await list(capabilities.tools, 'tools/list', 'tools'),
    resources: await list(capabilities.resources, 'resources/list', 'resources'),
    templates: await list(capabilities.resources, 'resources/templates/list', 'resourceTemplates'),
    prompts: await list(capabilities.prompts, 'prompts/list', 'prompts'),
    notes,
  }
}

async function open(over: McpConnection, era: InspectedEra | undefined): Promise<OpenedServer> {
  if (era === 'legacy') return await initialize(over)
  const found = discover(over)
  // A server that waits for `initialize` might not respond to anything else.
  found.catch(() => {})
  const first = era === 'modern' ? await found : await Promise.race([found, silence()])
  if (first) return first
  if (era === 'modern') throw new CommandFailure(`It does not support ${MODERN}.`)
  const late = found.then((it) => it ?? Promise.reject(new Error('not modern')))
  return await Promise.any([initialize(over), late]).catch(({ errors: [error] }) => {
    throw error
  })
}

const silence = () =>
  new Promise<undefined>((resolve) => setTimeout(resolve, MAX_SILENT_MS, undefined).unref())

/** Connects with the newest revision, which has no sessions. Undefined if the server does not support it. */
async function discover(over: McpConnection): Promise<OpenedServer | undefined> {
  const sentAs = { version: MODERN, isModern: true }
  const { result } = await over.request(asked('server/discover', sentAs), sentAs)
  const { supportedVersions, _meta, ...found } = fieldsOf(result)
  const versions = textsIn(supportedVersions).slice(0, 20)
  if (!versions.includes(MODERN)) return undefined
  const { serverInfo = fieldsOf(_meta)['io.modelcontextprotocol/serverInfo'] } = found
  return { ...openedIn(found), serverInfo, versions, ...sentAs }
}

/** Connects with a session, as in all older revisions. */
async function initialize(over: McpConnection): Promise<OpenedServer> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo }
  const message = { jsonrpc: '2.0', id: next(), method: 'initialize', params } as const
  const reply = await over.request(message, { version: LEGACY, isModern: false })
  if (!reply.result) throw new CommandFailure(refusalOf(reply, 'initialize'))
  await over.notify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const found = fieldsOf(reply.result)
  const version = String(found.protocolVersion)
  return { ...openedIn(found), version, versions: [version], isModern: false }
}

const openedIn = ({ serverInfo, capabilities, instructions }: JsonFields) => ({
  serverInfo,
  capabilities: fieldsOf(capabilities),
  instructions,
})

/** Every item in a list, page by page. */
async function all(
  over: McpConnection,
  opened: OpenedServer,
  notes: string[],
  method: string,
  field: string,
): Promise<JsonFields[]> {
  const items: JsonFields[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const reply = await over.request(asked(method, opened, cursor), opened)
    const { [field]: found, nextCursor } = fieldsOf(reply.result)
    if (!Array.isArray(found)) {
      notes.push(refusalOf(reply, method))
      return items
    }
    items.push(...found.filter(isObject))
    cursor = nextCursor
    if (cursor === undefined || cursor === null || cursor === '') return items
    if (seen.has(cursor) || items.length > MAX_ITEMS) break
    seen.add(cursor)
  }
  notes.push(`${method} has no end: at most the first ${MAX_ITEMS} are shown.`)
  return items.slice(0, MAX_ITEMS)
}

function asked(method: string, { isModern }: SentAs, cursor?: unknown): McpMessage {
  const params = {
    ...(cursor !== undefined && { cursor }),
    ...(isModern && { _meta: modernMeta(clientInfo) }),
  }
  return { jsonrpc: '2.0', id: next(), method, params }
}

let last = 0
const next = () => `inspect-${++last}`

function refusalOf({ error, status }: McpReply, method: string): string {
  const { message, code } = fieldsOf(error)
  if (error) return `It rejects ${method}: ${String(message).slice(0, 300)} (${code})`
  const said = status ? `, but returns ${status}` : ''
  return `It does not respond to ${method} as an MCP server does${said}.`
}
