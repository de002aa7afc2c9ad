import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Operator, operatorAt } from '../support/operator.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { askApi, operated } from '../support/registry-api.ts'
import { callTool, post, type RunningWorker, startWorker } from '../support/worker.ts'

const HOSTILE = '<img src=x onerror=alert(1)>'

const setup = (reader: string) => `
  create table customers (id int primary key, name text, email text, country text);
  insert into customers values (1, 'Ada', 'ada@example.com', 'GB');
  create table orders (id int primary key, customer_id int references customers, total numeric);
  alter role ${reader} password 'Planted-Passw0rd';
`

const postgres = await startPostgres(setup)

describe.skipIf(!postgres)('adding an endpoint', () => {
  if (postgres) tests(postgres)
  else test('needs a PostgreSQL', () => {})
})

function tests({ tcp, reader, drop }: TestPostgres): void {
  const url = tcp(`${reader}:Planted-Passw0rd`)
  let worker: RunningWorker
  let operator: Operator
  const api = (method: string, path: string, body?: unknown) => askApi(worker, method, path, body)

  beforeAll(async () => {
    worker = await startWorker({ ...operated, OWNER_URL: tcp() })
    operator = await operatorAt(worker.url)
  })
  afterAll(async () => {
    await worker.close()
    await drop()
  })

  const list = async (key: string) =>
    (await callTool(`${worker.url}/mcp/shop`, 'list_tables', { detail: true }, bearer(key)))
      .structuredContent.tables
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

  test('takes one form per step, until an app gets what its group may see', async () => {
    // A line from an .env file, as people paste it.
    const pasted = await operator.submit('/console/add', {
      text: `export DATABASE_URL="${url}?sslmode=disable"  `,
      name: 'shop',
      title: 'Web shop',
    })
    expect([pasted.status, pasted.location]).toEqual([303, '/console/add/shop'])
    expect((await api('GET', '/api/endpoints/shop')).json).toMatchObject({
      title: 'Web shop',
      active: false,
      databases: { main: { url: expect.stringMatching(/^credential:/) } },
    })

    expect(pasted.headers.get('set-cookie')).not.toContain('Planted')
    const tested = await operator.open('/console/add/shop')
    for (const text of [
      'Engine PostgreSQL',
      'Host 127.0.0.1',
      `Login ${reader} , password of 16 characters`,
      'Encryption none',
      'its host is allowed',
      'PostgreSQL answers',
      'The login in the connection string is accepted',
      `as ${reader}`,
      'Reads 2 tables',
      'Refuses to write, with the guard bypassed',
      'transaction read-write mode must be set before any query',
    ]) {
      expect(tested.words).toContain(text)
    }
    expect(tested.text).toContain('href="/console/add/shop/who"')
    expect(tested.text).not.toContain('Planted')

    const who = await operator.open('/console/add/shop/who')
    expect(who.words).toContain('No group selected')
    expect(who.words).toContain('tokens')
    const made = await operator.submit('/console/add/shop/who/group', { name: 'analysts' })
    expect(made.location).toBe('/console/add/shop/who?group=analysts&done=made')
    const nothing = await operator.open(made.location!)
    expect(nothing.words).toContain('It sees nothing at this endpoint until you select something')

    const ticks = '/console/add/shop/who?group=analysts&database=main'
    const ticked = await operator.submit(ticks, {
      shown: ['customers', 'orders'],
      tick: ['customers', 'orders'],
      do: 'save',
    })
    expect(ticked.location).toContain('done=saved')
    const chosen = await operator.submit(`${ticks}&table=customers`, {
      shown: ['id', 'name', 'email', 'country'],
      tick: ['id', 'country'],
      do: 'save',
    })
    expect(chosen.location).toContain('table=customers')
    const group = (await api('GET', '/api/groups/analysts')).json
    expect(group.endpoints.shop.databases.main.tables).toEqual({
      customers: ['id', 'country'],
      orders: true,
    })
    const seen = await operator.open('/console/add/shop/who?group=analysts')
    expect(seen.text).toMatch(/name="tick" value="customers" checked/)
    expect(seen.words).toContain('2 of 4')
    expect(seen.words).toContain('query and explain_query are off for main')

    const connect = await operator.open('/console/add/shop/connect?group=analysts')
    expect(connect.words).toContain('sees what the group analysts sees')
    const keyed = await operator.submit('/console/add/shop/connect/key', {
      group: 'analysts',
      label: 'Ada, laptop',
      person: 'ada@example.com',
    })
    const key = /tg_[A-Za-z0-9_]{20,}/.exec(keyed.words)?.[0] ?? ''
    expect(keyed.text).toContain(`Bearer ${key}`)
    expect((await api('GET', '/api/groups/analysts')).json.keys).toHaveLength(1)

    const closed = await post(`${worker.url}/mcp/shop`, LIST, bearer(key))
    expect(closed.status).toBe(403)
    const opened = await operator.submit('/console/add/shop/connect/open')
    expect(opened.location).toBe('/console?done=opened')
    expect((await operator.open(opened.location!)).words).toContain('The endpoint is on')
    expect((await list(key)).map((it: { name: string }) => it.name)).toEqual([
      'customers',
      'orders',
    ])
    expect((await list(key))[0].columns).toEqual(['id integer', 'country text'])
  })

  test('shows less if the browser’s cookie is missing, foreign or malformed', async () => {
    const cookie = operator.cookies.get('tidegate-read')!
    const { note } = JSON.parse(decodeURIComponent(cookie))
    const texts = { isEscaped: true, toString: 1, valueOf: 1 }
    const nonsense = [
      {},
      { name: 'shop' },
      { name: 'other', note },
      { name: 'shop', note: { ...note, hints: [texts] } },
      { name: 'shop', note: { ...note, host: texts } },
      { name: 'shop', note: { ...note, port: texts } },
      { name: 'shop', note: { ...note, encryption: texts } },
    ].map((it) => encodeURIComponent(JSON.stringify(it)))
    for (const other of ['', ...nonsense, '%5B%5D', 'null', '%zz', `${'a'.repeat(9_000)}`]) {
      operator.cookies.set('tidegate-read', other)
      const { status, words } = await operator.open('/console/add/shop')
      expect([status, words]).toEqual([200, expect.stringContaining('PostgreSQL 127.0.0.1')])
    }
    const hostile = { name: 'shop', note: { ...note, engine: HOSTILE, hints: [HOSTILE] } }
    operator.cookies.set('tidegate-read', encodeURIComponent(JSON.stringify(hostile)))
    expect((await operator.open('/console/add/shop')).text).not.toContain(HOSTILE)
    operator.cookies.set('tidegate-read', cookie)
  })

  test('uses another name if the suggested name is taken', async () => {
    const names: (string | null)[] = []
    for (let i = 0; i < 2; i++)
      names.push((await operator.submit('/console/add', { text: url })).location)
    const [first, second] = names
    expect(first).toMatch(/^\/console\/add\/[a-z]/)
    expect(second).toBe(`${first?.slice(0, '/console/add/'.length + 28)}-2`)
    for (const it of names) {
      const gone = await operator.submit(`${it}/remove`)
      expect(gone.location).toBe('/console?done=gone')
    }
    expect((await operator.open(first!)).status).toBe(404)
  })

  test('rejects text that is not a connection string, without repeating it', async () => {
    for (const text of ['', 'Planted-Passw0rd', 'mongodb://a:Planted-Passw0rd@example.com/x']) {
      const refused = await operator.submit('/console/add', { text, title: HOSTILE })
      expect(refused.status).toBe(422)
      expect(refused.text).not.toContain('Planted')
      expect(refused.text).not.toContain(HOSTILE)
      expect(refused.text).toContain('role="alert"')
    }
  })

  test('rejects an invalid or taken name, with a message next to the name', async () => {
    for (const name of ['Upper Case', 'demo2"><b>', 'shop']) {
      const refused = await operator.submit('/console/add', { text: url, name })
      expect(refused.status).toBe(422)
      expect(refused.text).toContain('id="f-name-problem"')
      expect(refused.text).not.toContain('"><b>')
    }
  })

  test('accepts another connection string after a failed test', async () => {
    const wrong = url.replace('Planted-Passw0rd', 'Wrong-Passw0rd').replace(reader, 'nobody_here')
    const { location } = await operator.submit('/console/add', { text: wrong, name: 'fixed' })
    const stopped = await operator.open(location!)
    expect(stopped.words).toContain('Use another connection string')
    expect(stopped.text).not.toContain('/who"')
    const still = await operator.submit(`${location}/string`, { text: 'nonsense' })
    expect(still.text).toContain('id="f-text-problem"')
    expect((await operator.submit(`${location}/string`, { text: url })).location).toBe(location)
    expect((await operator.open(location!)).words).toContain('Refuses to write')
  })

  test('shows check results as they arrive, even while a server is silent', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const text = `postgres://a:b@127.0.0.1:${port}/x?sslmode=disable`
    const { location } = await operator.submit('/console/add', { text, name: 'silent' })
    const cookie = [...operator.cookies].map((it) => it.join('=')).join('; ')
    const { body } = await fetch(worker.url + location, { headers: { cookie } })
    let seen = ''
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      seen += chunk
      // Leaving the loop closes the connection.
      if (seen.includes('its host is allowed')) break
    }
    expect(seen).not.toContain('</html>')
    silent.close()
  })

  test('accepts a Worker secret, and shows what its role may do', async () => {
    const wrong = await operator.submit('/console/add/reference', {
      way: 'secret',
      reference: 'a b',
    })
    expect([wrong.status, wrong.text.includes('f-reference-problem')]).toEqual([422, true])
    const missing = await operator.submit('/console/add/reference', {
      way: 'secret',
      reference: 'NOT_SET',
    })
    expect(missing.status).toBe(422)
    expect(missing.words).toContain('NOT_SET is not set')
    const { location } = await operator.submit('/console/add/reference', {
      way: 'secret',
      reference: 'OWNER_URL',
    })
    expect(location).toBe('/console/add/owner-url')
    const { words, text } = await operator.open(location!)
    expect(words).toContain('Its role can do more than read')
    expect(words).toContain('The role is a superuser')
    expect(text).toContain('CREATE ROLE')
  })

  test('does not mention a role if the engine has no roles', async () => {
    await askApi(worker, 'POST', '/api/endpoints', {
      ...{ name: 'roleless', title: 'Roleless', active: false },
      databases: { main: { url: 'demo:' } },
    })
    const { words } = await operator.open('/console/add/roleless')
    expect(words).toContain('The check found no rights beyond reading')
    expect(words).not.toMatch(/role can only read/i)
  })

  test('is not offered for configured or missing endpoints', async () => {
    for (const path of [
      '/console/add/demo',
      '/console/add/demo/who',
      '/console/add/none/connect',
    ]) {
      expect((await operator.open(path)).status).toBe(404)
    }
    const noGroup = await operator.open('/console/add/shop/who?group=none')
    expect(noGroup.status).toBe(404)
  })
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
