// Runs the official client against two servers that should do the same: common features, and those that only one has.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const eras = { modern: { pin: '2026-07-28' }, legacy: 'legacy' }

/** Maximum time for an answer or a notification. */
export const PATIENCE_MS = 5_000

/**
 * Checks a server in both eras, over HTTP and, if supported, over stdio. Throws if it lacks a common feature.
 * @param at its `check`; `paths` over HTTP; its program for `stdio`, the program's variables, and in `overStdio` the
 * variables that select each server that the program can be
 * @returns the result for each checked feature: `yes`, or the fault
 */
export async function checked({ check, paths = ['/mcp'], stdio, overStdio = [{}], vars }, origin) {
  const can = {}
  for (const [era, mode] of Object.entries(eras)) {
    const ways = paths.map((path) => ({
      path,
      open: () => new StreamableHTTPClientTransport(new URL(path, origin)),
    }))
    for (const which of stdio ? overStdio : []) {
      const args = ['--no-warnings', ...stdio]
      const env = { ...vars, ...which }
      const child = { command: process.execPath, args, env, stderr: 'ignore' }
      ways.push({ path: 'stdio', open: () => new StdioClientTransport(child) })
    }
    for (const { path, open } of ways) {
      const own = await withClient(mode, open, (client, seen) => check(client, seen, path))
      const over = path === 'stdio' ? ' over stdio,' : ''
      for (const [what, it] of Object.entries(own)) can[`${what},${over} ${era}`] = it
    }
  }
  return can
}

async function withClient(mode, open, act) {
  const client = new Client(
    { name: 'bench', version: '1' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  )
  const seen = { asked: [], heard: [], answer: {} }
  client.setRequestHandler('elicitation/create', ({ params }) => {
    seen.asked.push(params.message)
    return { action: 'accept', content: seen.answer }
  })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    seen.heard.push(params.uri)
  })
  await client.connect(open())
  try {
    return await act(client, seen)
  } finally {
    await client.close()
  }
}

/** Checks that a client that watches a resource is notified of a change. */
export async function heard(client, seen, uri, change) {
  if (client.getProtocolEra() === 'legacy') await client.subscribeResource({ uri })
  else await client.listen({ resourceSubscriptions: [uri] })
  seen.heard.length = 0
  await change()
  for (let waited = 0; seen.heard.length === 0 && waited < PATIENCE_MS; waited += 50) {
    await new Promise((done) => setTimeout(done, 50))
  }
  must('the change is announced', seen.heard.join() === uri)
}

/** Checks a feature that a server may lack. */
export const attempt = (act) =>
  act().then(
    () => 'yes',
    (error) => `no: ${error.message.split('\n')[0].slice(0, 90)}`,
  )

/** Checks a feature that a server must have. */
export function must(what, is) {
  if (!is) throw new Error(`It is not so that ${what}.`)
}
