import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { askApi, OPERATOR_KEY, operated, SECRET } from '../support/registry-api.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const PASSWORD = 'pl4ntedPassw0rdOfTheDatabase'
const LITERAL = 'pl4ntedLiteral'
/** Secrets that a person may know, and that nothing may show again in any encoding. */
const secrets = new Map([
  ['the password', PASSWORD],
  ['the secret', SECRET],
  ['the key of the operator', OPERATOR_KEY],
])

let worker: RunningWorker
let postgres: TestPostgres | undefined
/** All responses from the Worker, with their headers. */
const shown: string[] = []

async function send(method: string, path: string, body?: unknown, headers = {}): Promise<string> {
  const response = await fetch(worker.url + path, {
    method,
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  shown.push(`${method} ${response.status} ${JSON.stringify([...response.headers])} ${text}`)
  return text
}
const operator = { authorization: `Bearer ${OPERATOR_KEY}` }

beforeAll(async () => {
  postgres = await startPostgres(`
    create table things (id int primary key, name text);
    insert into things values (1, 'one');
    create view broken as select 1 / (id - id) as never from things`)
  worker = await startWorker(operated)
})
afterAll(async () => {
  await worker.close()
  await postgres?.drop()
})

test('no response, page, log line or record in a run shows a planted secret', async (context) => {
  if (!postgres) return context.skip('There is no PostgreSQL.')
  const reader = `planted_${Math.random().toString(36).slice(2, 10)}`
  await postgres.admin(`create role ${reader} login password '${PASSWORD}';
    grant select on all tables in schema public to ${reader}`)
  try {
    const good = new URL(postgres.tcp())
    good.username = reader
    good.password = PASSWORD
    const deaf = new URL(good)
    deaf.port = '1'
    const url = { shop: String(good), deaf: String(deaf) }
    for (const [name, it] of Object.entries(url)) {
      const databases = { main: { url: it } }
      await send('POST', '/api/endpoints', { name, title: name, databases }, operator)
      await send('POST', `/api/endpoints/${name}/test`, {}, operator)
    }
    // These are refused: an unknown driver, a private host, an invalid URL, a body that is not JSON.
    for (const bad of [
      `nosuch://u:${PASSWORD}@h/d`,
      `postgres://u:${PASSWORD}@10.0.0.1/d`,
      PASSWORD,
    ]) {
      const databases = { main: { url: bad } }
      await send('POST', '/api/endpoints', { name: 'bad', title: 'Bad', databases }, operator)
      await send('PUT', '/api/endpoints/shop/databases/main/credential', { url: bad }, operator)
      await send('POST', '/api/endpoints', `{"name": "bad", "url": "${bad}"`, operator)
      await send('PATCH', '/api/endpoints/shop', { title: [bad], format: bad }, operator)
    }
    const made = await askApi(worker, 'POST', '/api/keys', { label: 'test', endpoints: ['*'] })
    const { key, id } = made.json as { key: string; id: string }
    secrets.set('a key', key.split('_')[2]!)

    const call = (name: string, args: object) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: args },
    })
    const bodies = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      call('query', { sql: `select * from things where name <> '${LITERAL}'` }),
      call('query', { sql: 'select * from nothing' }),
      call('query', { sql: 'select * from broken' }),
      call('query', { sql: 'delete from things' }),
      call('query_table', {
        table: 'things',
        where: [{ column: 'name', op: 'eq', value: LITERAL }],
      }),
      call('describe_table', { table: 'things' }),
      call('nosuch', {}),
      'no JSON',
    ]
    const ways: [path: string, headers: object][] = [
      ...['shop', 'deaf', 'nosuch'].flatMap((name): [string, object][] => [
        [`/mcp/${name}`, { authorization: `Bearer ${key}` }],
        [`/mcp/${name}`, { 'x-api-key': key }],
        [`/k/${key}/mcp/${name}`, {}],
        [`/k/${key}x/mcp/${name}`, {}],
        [`/mcp/${name}`, { authorization: `Bearer ${key}x` }],
        [`/mcp/${name}`, {}],
      ]),
      [`/k/${key}/api/keys`, {}],
      [`/k/${key}`, {}],
    ]
    for (const [path, headers] of ways) {
      for (const body of bodies) await send('POST', path, body, headers)
      for (const accept of ['text/html', 'text/event-stream;q=0, application/json']) {
        await send('GET', path, undefined, { ...headers, accept })
      }
      await send('DELETE', path, undefined, headers)
    }
    const pages = ['/', '/doctor', '/doctor/shop', '/doctor/deaf', '/nowhere', '/health']
    const lists = ['status', 'settings', 'endpoints', 'endpoints/shop', 'keys', `keys/${id}`]
    const more = ['groups', 'export', 'openapi.json', 'records?limit=200', 'endpoints/shop/usage']
    // Records are written after the response.
    await expect
      .poll(async () => (await askApi(worker, 'GET', '/api/records?endpoint=shop')).text, {
        timeout: 20_000,
      })
      .toContain('describe_table')
    for (const path of [...pages, ...[...lists, ...more].map((it) => `/api/${it}`)]) {
      await send('GET', path, undefined, operator)
      await send('GET', path)
    }
    await send('DELETE', `/api/keys/${id}`, undefined, operator)
    await send('POST', `/k/${key}/mcp/shop`, bodies[0])

    const exported = shown.find((it) => it.includes('"sealed"')) ?? ''
    expect(exported).toContain('keyId')
    const everything = { answers: shown.join('\n'), log: worker.logs().join('\n') }
    for (const [where, text] of Object.entries(everything)) {
      for (const [name, secret] of secrets) {
        for (const written of waysToWrite(secret)) {
          const at = text.indexOf(written)
          // The text before the secret, without the secret.
          const before = at < 0 ? '' : text.slice(Math.max(0, at - 300), at)
          expect(before, `${name} in the ${where}`).toBe('')
        }
      }
    }
    // The values in statements are in responses, but in no record.
    const records = shown.filter((it) => it.includes('"lost"')).join('\n')
    expect(records).toContain('select * from things where name <> ?')
    expect(records).not.toContain(LITERAL)
    expect(everything.log).not.toContain(LITERAL)
  } finally {
    await postgres.admin(`drop owned by ${reader}; drop role ${reader}`)
  }
})

/** A secret as it is, in base64, and in hexadecimal digits. */
function waysToWrite(secret: string): string[] {
  const bytes = Buffer.from(secret)
  // Inside a longer text, base64 has one of three forms, and its ends depend on the neighboring bytes.
  const forms = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  return [secret, ...forms, bytes.toString('hex')]
}
