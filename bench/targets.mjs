// The targets, one row for each. A new peer or variant is one file in targets/ and one row.
import { flags, flagsOf } from './build.mjs'

const SESSIONS = { objects: { SESSIONS: 'McpSession' } }

/** `eras`: the eras that a target supports. A floor answers with the right bytes and checks nothing. */
export const targets = [
  {
    name: 'floor',
    says: 'a bare fetch handler, nothing checked',
    entry: 'floor-fetch.mjs',
    eras: ['modern', 'legacy'],
  },
  {
    name: 'floor-hono',
    says: 'the same under Hono',
    entry: 'floor-hono.mjs',
    eras: ['modern', 'legacy'],
  },
  {
    name: 'floor-object',
    says: 'a bare Worker before a bare Durable Object, nothing checked',
    entry: 'floor-object.mjs',
    eras: ['session'],
    objects: { SESSIONS: 'Session' },
  },
  {
    name: 'tidegate',
    says: 'the protocol core, its sessions in Durable Objects',
    entry: 'tidegate.mjs',
    eras: ['modern', 'legacy', 'session'],
    flags: ['enable_request_signal'],
    ...SESSIONS,
  },
  {
    name: 'sdk',
    says: '@modelcontextprotocol/server, createMcpHandler',
    entry: 'sdk.mjs',
    eras: ['modern', 'legacy'],
  },
  {
    name: 'sdk-session',
    says: '@modelcontextprotocol/server, sessions in memory',
    entry: 'sdk-session.mjs',
    eras: ['session'],
  },
  {
    name: 'agents',
    says: 'agents, createMcpHandler',
    entry: 'agents.mjs',
    eras: ['modern', 'legacy'],
  },
  {
    name: 'agents-mcpagent',
    says: 'agents, McpAgent: its sessions in Durable Objects',
    entry: 'agents-mcpagent.mjs',
    eras: ['session'],
    ...SESSIONS,
  },
  {
    name: 'hono-mcp',
    says: '@hono/mcp, a transport a request, JSON answers',
    entry: 'hono-mcp.mjs',
    eras: ['legacy'],
  },
  {
    name: 'hono-mcp-session',
    says: '@hono/mcp, sessions in memory',
    entry: 'hono-mcp-session.mjs',
    eras: ['session'],
  },
  {
    name: 'mcp-handler',
    says: 'mcp-handler',
    entry: 'mcp-handler.mjs',
    eras: ['modern', 'legacy'],
  },
  { name: 'mcp-lite', says: 'mcp-lite', entry: 'mcp-lite.mjs', eras: ['legacy'] },
  {
    name: 'mcp-lite-session',
    says: 'mcp-lite, sessions in memory',
    entry: 'mcp-lite-session.mjs',
    eras: ['session'],
  },
]

/** The whole gateway, as it is deployed: for its size, its start, and queries. */
export const gateway = {
  name: 'gateway',
  says: 'Tidegate, with the demo database',
  entry: 'gateway.mjs',
  eras: ['modern', 'legacy'],
  flags,
  objects: {
    ...{ SESSIONS: 'McpSession', DEMO: 'DemoStore' },
    ...{
      REGISTRY: 'Registry',
      METER: 'Meter',
      RECORDS: 'CallRecords',
      AUTHORIZATION: 'Authorization',
    },
  },
}

/** A Tidegate target at another commit. */
export const earlier = (target, { ref, source }) => ({
  ...target,
  name: `${target.name}@${ref}`,
  source,
  ...(target.flags === flags && { flags: flagsOf(source) }),
})
