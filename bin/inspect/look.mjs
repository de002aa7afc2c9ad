// Opens a server as hosts do, and reads the lists of what it offers.
import { Failure } from '../api.mjs'
import { LEGACY, MODERN } from '../host-checks/rpc.mjs'

const MAX_PAGES = 50
const MAX_ITEMS = 1_000

/** How long a server that was asked by the newest revision may be silent, before it is asked as before. */
const MAX_SILENT_MS = 3_000

const clientInfo = { name: 'tidegate-inspect', version: '1' }

/**
 * What a server offers.
 * @param over the way to it: `request`, `notify`
 * @param era `modern` or `legacy`, where it may not be found out
 */
export async function look(over, era) {
  const opened = await open(over, era)
  const { capabilities = {} } = opened
  const notes = []
  const list = async (isOffered, method, field) =>
    isOffered ? await all({ over, opened, notes }, method, field) : []
  return {
    opened: opened.version,
    versions: opened.versions,
    server: opened.serverInfo ?? {},
    capabilities,
    instructions: typeof opened.instructions === 'string' ? opened.instructions : undefined,
    tools: await list(capabilities.tools, 'tools/list', 'tools'),
    resources: await list(capabilities.resources, 'resources/list', 'resources'),
    templates: await list(capabilities.resources, 'resources/templates/list', 'resourceTemplates'),
    prompts: await list(capabilities.prompts, 'prompts/list', 'prompts'),
    notes,
  }
}

async function open(over, era) {
  if (era === 'legacy') return await initialize(over)
  const found = discover(over)
  // One that waits for `initialize` may say nothing to anything else.
  found.catch(() => {})
  const first = era === 'modern' ? await found : await Promise.race([found, silence()])
  if (first) return first
  if (era === 'modern') throw new Failure(`It does not speak ${MODERN}.`)
  return await Promise.any([initialize(over), found.then((it) => it ?? Promise.reject())]).catch(
    ({ errors: [error] }) => {
      throw error
    },
  )
}

function silence() {
  return new Promise((resolve) => setTimeout(resolve, MAX_SILENT_MS).unref())
}

/** Opens by the newest revision, which has no sessions. Undefined if the server does not know it. */
async function discover(over) {
  const message = asked('server/discover', { isModern: true })
  const { result } = await over.request(message, { version: MODERN, isModern: true })
  if (!Array.isArray(result?.supportedVersions)) return undefined
  const versions = result.supportedVersions.filter((it) => typeof it === 'string').slice(0, 20)
  if (!versions.includes(MODERN)) return undefined
  const { serverInfo = result._meta?.['io.modelcontextprotocol/serverInfo'] } = result
  return { ...result, serverInfo, versions, version: MODERN, isModern: true }
}

/** Opens with a session, as every revision before. */
async function initialize(over) {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo }
  const message = { jsonrpc: '2.0', id: next(), method: 'initialize', params }
  const { result, error, status } = await over.request(message, { version: LEGACY })
  if (!result) throw new Failure(refusalOf({ error, status }, 'initialize'))
  await over.notify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  const version = String(result.protocolVersion)
  return { ...result, version, versions: [version], isModern: false }
}

/** Every item of a list, page by page. */
async function all({ over, opened, notes }, method, field) {
  const items = []
  const seen = new Set()
  let cursor
  for (let page = 0; page < MAX_PAGES; page++) {
    const message = asked(method, { ...opened, ...(cursor !== undefined && { cursor }) })
    const { result, error, status } = await over.request(message, opened)
    if (!Array.isArray(result?.[field])) {
      notes.push(refusalOf({ error, status }, method))
      return items
    }
    items.push(...result[field].filter((it) => typeof it === 'object' && it !== null))
    cursor = result.nextCursor
    if (cursor === undefined || cursor === null || cursor === '') return items
    if (seen.has(cursor) || items.length > MAX_ITEMS) break
    seen.add(cursor)
  }
  notes.push(`${method} has no end: only the first ${MAX_ITEMS} are shown, at most.`)
  return items.slice(0, MAX_ITEMS)
}

function asked(method, { isModern, cursor }) {
  const params = {
    ...(cursor !== undefined && { cursor }),
    ...(isModern && {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
  }
  return { jsonrpc: '2.0', id: next(), method, params }
}

let last = 0
const next = () => `inspect-${++last}`

function refusalOf({ error, status }, method) {
  if (error) return `It refuses ${method}: ${String(error.message).slice(0, 300)} (${error.code})`
  const said = status ? `, but answers ${status}` : ''
  return `It does not answer ${method} as an MCP server does${said}.`
}
