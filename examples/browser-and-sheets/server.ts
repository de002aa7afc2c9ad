// Two MCP servers in one Worker: /browser/mcp reads web pages, /sheets/mcp writes into Google Sheets.
import { type ObjectNamespace, type Server, worker } from 'tidegate/mcp'
import { type BrowserSettings, browserServer } from './browser.ts'
import { type SheetsSettings, sheetsServer } from './sheets.ts'

interface Env extends BrowserSettings, SheetsSettings {
  readonly SESSIONS: ObjectNamespace
  /** Which of the two is served over stdio, where no path says so. */
  readonly SERVER?: string
}

const servers = new Map<string | undefined, (env: Env) => Server>([
  ['browser', browserServer],
  ['sheets', sheetsServer],
])

/** The name that a path begins with: `browser` in /browser/mcp. */
const nameIn = ({ url }: Request) => /^\/(\w+)\/mcp$/.exec(new URL(url).pathname)?.[1]

// Made once: the lists of a server are written once for each value.
const made = new Map<string | undefined, Server>()

const mcp = worker((env: Env, request) => {
  const name = request ? nameIn(request) : env.SERVER
  const make = servers.get(name)
  if (!make) throw new Error('Say which server this is: set SERVER to browser or sheets.')
  const server = made.get(name) ?? make(env)
  made.set(name, server)
  return server
})

export const { McpSession } = mcp

export default {
  ...mcp,
  fetch(request: Request, env: Env): Response | Promise<Response> {
    if (servers.has(nameIn(request))) return mcp.fetch(request, env)
    return new Response('The servers here are /browser/mcp and /sheets/mcp.\n', { status: 404 })
  },
}
