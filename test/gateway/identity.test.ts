import { afterAll, describe, expect, test } from 'vitest'
import { diagnosis, gateway, KEPT_MS, readEndpoints } from '../../src/gateway/index.ts'
import {
  type Caller,
  localChanges,
  memoryStores,
  sealWith,
  storeLimits,
} from '../../src/mcp/index.ts'
import { ask, MODERN, requestOf } from '../support/mcp.ts'
import { startPostgres } from '../support/postgres.ts'

const setup = (reader: string) => `
  alter role ${reader} noinherit;
  create role ${reader}_app;
  grant ${reader}_app to ${reader};
  create table letters (id integer primary key, owner text, region text, body text);
  insert into letters select g, (array['alice', 'bob'])[1 + g % 2],
    (array['north', 'south'])[1 + (g / 2) % 2], (array['ALICE', 'BOB'])[1 + g % 2] || '-MARKER ' || g
    from generate_series(1, 600) g;
  insert into letters values (1000, 'nobody', 'north', 'NOBODY-MARKER');
  create table unseen_table (id integer);
  create function claim(name text) returns text language sql stable as
    $$ select nullif(current_setting('request.jwt.claims', true), '')::json ->> name $$;
  alter table letters enable row level security;
  create policy own on letters for select to ${reader}_app using (owner = claim('sub')
    and region = coalesce(claim('region'), region) and claim('scope') = 'db:read');
  create policy anybody on letters for select to ${reader}_app using
    (owner = 'nobody' and claim('role') = 'anon' and claim('sub') is null);
  revoke all on letters, unseen_table from ${reader};
  grant select on letters to ${reader}_app;
`

const postgres = await startPostgres(setup)

const alice: Caller = { subject: 'alice', scopes: ['db:read'] }
const bob: Caller = { subject: 'bob', scopes: ['db:read'] }
const callers = [alice, bob, undefined]
const MARKERS = ['ALICE-MARKER', 'BOB-MARKER', 'NOBODY-MARKER']

describe.skipIf(!postgres)('An endpoint that passes the identity of the caller', () => {
  if (!postgres) return
  const { reader } = postgres
  const role = `${reader}_app`
  afterAll(async () => {
    await postgres.admin(`drop owned by ${role}; drop role ${role}`)
    await postgres.drop()
  })

  const ways = [
    ['TCP', postgres.tcp(reader), fetch],
    ['HTTP', postgres.url(reader), fetch],
    ['the API of Supabase', postgres.supabase.url(reader), postgres.supabase.io.fetch],
  ] as const

  const endpointOf = (databases: object, more: object = {}) =>
    readEndpoints({
      ENDPOINTS: JSON.stringify([{ name: 'main', title: 'Main', databases, ...more }]),
    })[0]!

  describe.each(ways)('over %s', (_, url, send) => {
    const io = { fetch: send, bindings: { LETTERS: url } }
    // An authenticated caller never has the role `anon`.
    const config = { url: 'secret:LETTERS', role, claims: true }
    const search = [{ table: 'letters', title: 'body', text: ['body'] }]
    const tools = [
      ...['list_tables', 'describe_table', 'query_table', 'query', 'explain_query'],
      {
        name: 'newest',
        description: 'The newest letter.',
        sql: 'select body from letters order by id desc limit 1',
      },
    ]
    const stores = memoryStores({ ...storeLimits, idleMs: KEPT_MS })
    const keeping = { stores, seal: sealWith('a secret') }
    const serve = (database: object = config, more: object = {}) => {
      const endpoint = endpointOf({ main: database }, { search, tools, ...more })
      const server = gateway(endpoint, io, { keeping, carrier: localChanges() })
      return async (caller: Caller | undefined, method: string, params: object = {}) => {
        const { body } = await ask(
          { server, caller },
          requestOf(MODERN, { method, params: { ...params } }),
        )
        return body.result ?? body.error
      }
    }
    const call = (name: string, args: object) => ['tools/call', { name, arguments: args }] as const
    const everything = [
      call('list_tables', { detail: true }),
      call('describe_table', { table: 'letters' }),
      call('query_table', { table: 'letters', limit: 3 }),
      call('query', { sql: 'select distinct left(body, 12) from letters' }),
      call('query', { sql: 'select body, md5(body) from letters limit 2' }),
      call('query', { sql: 'select bdy from letters' }),
      call('query', { sql: "select body from letters where body = 'nothing'" }),
      call('query', { sql: 'select (select min(body) from letters)::integer' }),
      call('explain_query', { sql: 'select * from letters' }),
      call('newest', {}),
      call('search', { query: 'MARKER' }),
      call('fetch', { id: 'main/letters/2' }),
      call('fetch', { id: 'main/letters/3' }),
      ['resources/list', {}],
      ['resources/read', { uri: 'schema://main' }],
      ['resources/read', { uri: 'schema://main/letters' }],
      ['resources/read', { uri: 'schema://main/unseen_table' }],
      [
        'completion/complete',
        {
          ref: { type: 'ref/resource', uri: 'schema://main/{table}' },
          argument: { name: 'table', value: '' },
        },
      ],
    ] as const

    test('never shows rows of another caller, in any tool, resource or error', async () => {
      const request = serve({ ...config, role })
      const jobs = everything.flatMap(([method, params]) =>
        callers.map(async (caller) => ({
          caller,
          method,
          answer: JSON.stringify(await request(caller, method, params)),
        })),
      )
      const answers = await Promise.all(jobs)
      let seen = 0
      for (const { caller, answer } of answers) {
        const own = caller?.subject.toUpperCase()
        for (const marker of MARKERS.filter((it) => !own || !it.startsWith(own))) {
          expect(answer).not.toContain(marker)
        }
        if (own && answer.includes(`${own}-MARKER`)) seen++
        expect(answer).not.toContain('unseen_table (')
        expect(answer).not.toContain('"unseen_table"')
      }
      expect(seen).toBeGreaterThanOrEqual(14)
      expect(answers.filter(({ answer }) => answer.includes('schema://main/letters'))).not.toEqual(
        [],
      )
    })

    test('counts only the rows of the caller', async () => {
      const request = serve()
      const sql = "select count(*)::int, claim('sub'), claim('role'), claim('scope') from letters"
      const rows = async (caller?: Caller) =>
        (await request(caller, ...call('query', { sql }))).structuredContent.rows[0]
      expect(await rows(alice)).toEqual([300, 'alice', role, 'db:read'])
      expect(await rows(bob)).toEqual([300, 'bob', role, 'db:read'])
      expect(await rows()).toEqual([0, null, role, null])
      // Claims in credentials never override the identity of the caller.
      const posing = { sub: 'bob', role: 'postgres', scope: 'db:write', region: 'north' }
      expect(await rows({ ...alice, claims: posing })).toEqual([150, 'alice', role, 'db:read'])
      // The operator is a caller like any other.
      expect(await rows({ subject: 'key', scopes: [] })).toEqual([0, 'key', role, ''])
    })

    test('stores and reuses large answers only for the same claims', async () => {
      const request = serve(config, { keep: { repeatSeconds: 600 } })
      const sql = 'select id, body from letters order by id'
      const ask = async (caller: Caller) =>
        (await request(caller, ...call('query', { sql }))).structuredContent
      const [own, other] = [await ask(alice), await ask(bob)]
      expect(own.rows[0][1]).toContain('ALICE')
      expect(other.rows[0][1]).toContain('BOB')
      expect((await ask(alice)).hint).toContain('Not run again')
      const north = { ...alice, claims: { region: 'north' } }
      const less = await ask(north)
      expect(less.hint ?? '').not.toContain('Not run again')
      expect((await ask({ ...alice, scopes: [] })).rows).toEqual([])
      const kept = async (caller: Caller) =>
        (await request(caller, ...call('query_table', { table: own.result }))).isError ?? false
      expect(await kept(alice)).toBe(false)
      expect(await kept(bob)).toBe(true)
      expect(await kept(north)).toBe(true)
      const read = await request(north, 'resources/read', { uri: own.result })
      expect(JSON.stringify(read)).not.toContain('MARKER')
      // A new server, as after a change of the endpoint, runs the query again.
      const changed = serve(config, { keep: { repeatSeconds: 600 } })
      const anew = await changed(alice, ...call('query', { sql }))
      expect(anew.structuredContent.hint ?? '').not.toContain('Not run again')
    })

    test('reads a record with the identity of the caller', async () => {
      const request = serve()
      const read = async (id: number, caller?: Caller) =>
        (await request(caller, ...call('fetch', { id: `main/letters/${id}` }))).structuredContent
      expect(await read(2, alice)).toMatchObject({ title: 'ALICE-MARKER 2' })
      expect(await read(2, bob)).toBeUndefined()
      expect(await read(2)).toBeUndefined()
    })

    test('explains to the operator what is wrong with the role', async () => {
      const messages = async (database: object) => {
        const request = serve(database)
        const { content } = await request(alice, ...call('query', { sql: 'select 1' }))
        return content[0].text
      }
      expect(await messages({ ...config, role: 'nobody_at_all' })).toMatch(
        /role for this database does not exist.*22023.*GRANT role TO login/s,
      )
      expect(await messages({ ...config, role: 'postgres' })).toMatch(/42501.*GRANT/s)
      const { diagnose } = await diagnosis()
      const [report] = await diagnose([endpointOf({ main: config })], io)
      expect(report).toMatchObject({ role })
      expect(report?.note ?? '').not.toContain('login that switches to')
      await postgres.admin(`grant pg_read_server_files to ${reader}`)
      const [worse] = await diagnose([endpointOf({ main: config })], io)
      await postgres.admin(`revoke pg_read_server_files from ${reader}`)
      expect(worse?.note).toMatch(
        /login that switches to this role has more rights .*server-access/,
      )
    })
  })

  test('gives an unknown caller the role anon if no role is set', async () => {
    await postgres.admin(`alter role ${reader} inherit`)
    const io = { fetch, bindings: { LETTERS: postgres.tcp(reader) } }
    const server = gateway(endpointOf({ main: { url: 'secret:LETTERS', claims: true } }), io)
    const bodies = async (caller?: Caller) => {
      const params = {
        name: 'query',
        arguments: { sql: 'select distinct left(body, 5) from letters' },
      }
      const request = requestOf(MODERN, { method: 'tools/call', params })
      return (await ask({ server, caller }, request)).body.result.structuredContent.rows.flat()
    }
    expect(await bodies()).toEqual(['NOBOD'])
    expect(await bodies(alice)).toEqual(['ALICE'])
    await postgres.admin(`alter role ${reader} noinherit`)
  })
})

describe('A database without support for identities', () => {
  const endpoint =
    (database: object, secret = '') =>
    () => {
      const all = [{ name: 'main', title: 'Main', databases: { main: database } }]
      const [found] = readEndpoints({ ENDPOINTS: JSON.stringify(all) })
      return gateway(found!, { fetch, bindings: { SECRET: secret } })
    }
  const from = (secret: string, more: object) => endpoint({ url: 'secret:SECRET', ...more }, secret)

  test.each([
    ['a role', endpoint({ url: 'demo:', role: 'app' }), 'SQLite does not support a role here'],
    ['claims', endpoint({ url: 'demo:', claims: true }), 'SQLite does not support claims here'],
    ['a role on D1', endpoint({ url: 'd1:SHOP', role: 'app' }), 'SQLite does not support a role'],
    [
      'a role on libSQL',
      from('libsql://x.y?authToken=z', { role: 'app' }),
      'does not support a role',
    ],
    ['a role on rqlite', from('rqlite://x.y', { role: 'app' }), 'does not support a role'],
    [
      'claims on MySQL',
      from('mysql://u@127.0.0.1/x', { claims: true }),
      'MySQL does not support claims',
    ],
    ['claims on ClickHouse', from('clickhouse://x', { claims: true }), 'does not support claims'],
  ])('is refused when the endpoint is loaded: %s', (_, make, sentence) => {
    expect(make).toThrow(sentence)
  })

  test('returns an error at the first query if only the driver can know', async () => {
    const server = from('mysql://u@aws.psdb.cloud/x', { role: 'app' })()
    const params = { name: 'query', arguments: { sql: 'select 1' } }
    const { body } = await ask({ server }, requestOf(MODERN, { method: 'tools/call', params }))
    expect(body.result).toMatchObject({ isError: true })
    expect(body.result.content[0].text).toContain('does not support a role here: remove "role"')
  })

  test.each([
    ['', /role/],
    ['none', /must be the name of a database role/],
    ['a\0b', /must be the name of a database role/],
    ['x'.repeat(64), /role/],
  ])('cannot be configured with the role %j', (role, message) => {
    expect(endpoint({ url: 'hyperdrive:X', role })).toThrow(message)
  })

  test('cannot be configured with claims set to false', () => {
    expect(endpoint({ url: 'hyperdrive:X', claims: false })).toThrow(/claims/)
  })
})
