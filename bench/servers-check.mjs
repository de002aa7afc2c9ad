// The official client at both of two servers that should do the same: what must be alike, and what only one can.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const eras = { modern: { pin: '2026-07-28' }, legacy: 'legacy' }

/** How long an answer or a notification may take. */
const PATIENCE_MS = 5_000

/**
 * Checks a server in both eras. Throws if it lacks what both have.
 * @returns what it can by what was asked: `yes`, or what went wrong
 */
export async function checked({ server, stdio }, url) {
  const can = {}
  for (const [era, mode] of Object.entries(eras)) {
    const own = await (server === 'calculator'
      ? withClient(mode, () => new StreamableHTTPClientTransport(new URL(url)), calculator)
      : withClient(mode, () => new StreamableHTTPClientTransport(new URL(url)), shopping))
    for (const [what, it] of Object.entries(own)) can[`${what}, ${era}`] = it
    if (!stdio) continue
    const child = { command: process.execPath, args: ['--no-warnings', ...stdio], stderr: 'ignore' }
    await withClient(mode, () => new StdioClientTransport(child), calculator)
    can[`over stdio, ${era}`] = 'yes'
  }
  return can
}

async function withClient(mode, transport, act) {
  const client = new Client(
    { name: 'bench', version: '1' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  )
  const seen = { asked: [], heard: [], agrees: false }
  client.setRequestHandler('elicitation/create', ({ params }) => {
    seen.asked.push(params.message)
    return { action: 'accept', content: { remove: seen.agrees } }
  })
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    seen.heard.push(params.uri)
  })
  await client.connect(transport())
  try {
    return await act(client, seen)
  } finally {
    await client.close()
  }
}

async function calculator(client) {
  const call = (name, a, b) => client.callTool({ name, arguments: { a, b } })
  for (const [name, result] of Object.entries({ add: 9, subtract: 5, multiply: 14, divide: 3.5 })) {
    must(`${name} is right`, (await call(name, 7, 2)).structuredContent?.result === result)
  }
  const failed = await call('divide', 1, 0)
  must('a fault is a result', failed.isError && failed.content[0].text === 'b must not be zero.')
  const { contents } = await client.readResource({ uri: 'welcome://ada' })
  must('a template is read', contents[0].text.startsWith('Welcome, Ada Lovelace!'))
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'welcome://{userId}' },
    argument: { name: 'userId', value: 'a' },
  })
  must('it is completed', completion.values.join() === 'ada,alan')
  const none = await client.readResource({ uri: 'welcome://eve' }).catch((it) => it)
  must('nobody is welcomed without an id', none instanceof Error)
  return { 'tools, a resource, completion': 'yes' }
}

async function shopping(client, seen) {
  const uri = 'shopping://list'
  const era = client.getProtocolEra()
  const item = `bread ${era}`
  const call = (name, args = {}) =>
    client.callTool({ name, arguments: args }, { timeout: PATIENCE_MS })
  const has = async () =>
    (await client.readResource({ uri })).contents[0].text.split('\n').includes(item)
  await call('add_item', { item })
  must('the list is read', await has())
  const can = {}
  can['a question'] = await attempt(async () => {
    await call('remove_item', { item })
    must('the person is asked', seen.asked.join() === `Take ${item} off the list?`)
    must('what they keep is there', await has())
    seen.agrees = true
    await call('remove_item', { item })
    must('what they give up is not', !(await has()))
  })
  can['a change is heard'] = await attempt(async () => {
    if (era === 'legacy') await client.subscribeResource({ uri })
    else await client.listen({ resourceSubscriptions: [uri] })
    seen.heard.length = 0
    await call('add_item', { item: 'salt' })
    for (let waited = 0; seen.heard.length === 0 && waited < PATIENCE_MS; waited += 50) {
      await new Promise((done) => setTimeout(done, 50))
    }
    must('the change is announced', seen.heard.join() === uri)
  })
  can['a task'] =
    era === 'legacy'
      ? ''
      : await attempt(async () => {
          must(
            'the extension is offered',
            TASKS in (client.getServerCapabilities().extensions ?? {}),
          )
        })
  return can
}

const TASKS = 'io.modelcontextprotocol/tasks'

const attempt = (act) =>
  act().then(
    () => 'yes',
    (error) => `no: ${error.message.split('\n')[0].slice(0, 90)}`,
  )

function must(what, is) {
  if (!is) throw new Error(`It is not so that ${what}.`)
}
