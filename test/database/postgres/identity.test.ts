import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { explain, findTable, fingerprint, listTables } from '../../../src/database/index.ts'
import { neon } from '../../../src/database/postgres/neon/neon.ts'
import { postgres as tcp } from '../../../src/database/postgres/tcp/tcp.ts'
import type { Identity, Limits, Rows } from '../../../src/database/rows.ts'
import { supabase } from '../../../src/database/supabase/driver.ts'
import { startPooler } from '../../servers/pooler.ts'
import { failure } from '../../support/failure.ts'
import { hyperdriveTo } from '../../support/hyperdrive.ts'
import { open } from '../../support/open.ts'
import { startPostgres } from '../../support/postgres.ts'

const limits: Limits = { maxRows: 100, maxBytes: 100_000, timeoutMs: 10_000 }

/** Names that would end a string, a name or a statement if they were not escaped. */
const HOSTILE = [`o'"role`, '"; reset role; --', '\\', "none'", 'Ünï 🌊', '$1', '{}', ' röle ']

const rolesOf = (reader: string) => ({
  app: `${reader}_app`,
  other: `${reader}_other`,
  bypass: `${reader}_bypass`,
  hostile: HOSTILE.map((it, i) => `${i}${it}${reader.slice(9, 21)}`),
})

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

const setup = (reader: string) => {
  const { app, other, bypass, hostile } = rolesOf(reader)
  return `
    alter role ${reader} noinherit;
    ${[app, other, bypass, ...hostile].map((it) => `create role ${quote(it)};`).join('\n')}
    alter role ${bypass} bypassrls;
    grant ${[app, bypass, ...hostile].map(quote)} to ${reader};
    create table notes (id integer, owner text, body text);
    insert into notes select g, (array['alice', 'bob', 'carol'])[1 + g % 3], 'note ' || g
      from generate_series(1, 30) g;
    create table unseen (id integer);
    create type mood as enum ('sad');
    revoke all on notes, unseen from ${reader};
    grant select on notes to ${app}, ${bypass};
    grant select on unseen to ${other};
    alter table notes enable row level security;
    create policy own on notes for select using (
      owner = nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub');
  `
}

const claimsOf = (sub: string, more: object = {}) => JSON.stringify({ sub, ...more })

const postgres = await startPostgres(setup)
const pooler =
  postgres && (await startPooler(postgres.config.port!, postgres.reader, postgres.config.database))

describe.skipIf(!postgres)('A query with a role and claims on PostgreSQL', () => {
  if (!postgres || !pooler) return
  afterAll(() => postgres.drop())
  afterAll(() => pooler.close())
  const { reader } = postgres
  const { app, other, bypass, hostile } = rolesOf(reader)
  const io = { fetch, bindings: {} }
  const people = ['alice', 'bob', 'carol']
  const ids = (person: string) =>
    Array.from({ length: 30 }, (_, i) => i + 1).filter((id) => people[id % 3] === person)

  afterAll(async () => {
    const all = [app, other, bypass, ...hostile].map(quote)
    await postgres.admin(`drop owned by ${all}; drop role ${all}`)
  })

  const pooled = postgres.tcp(reader, pooler.port)
  const store = { fetch, bindings: { STORE: hyperdriveTo(pooled) } }

  const ways = [
    ['TCP', open(postgres.tcp(reader), io), tcp.open(new URL(postgres.tcp(reader)), io)],
    [
      'Hyperdrive, a pooler',
      open('hyperdrive:STORE', store),
      tcp.open(new URL('hyperdrive:STORE'), store),
    ],
    ['HTTP', open(postgres.url(reader), io), neon.open(new URL(postgres.url(reader)), io)],
    [
      'the Supabase API',
      open(postgres.supabase.url(reader), postgres.supabase.io),
      supabase.open(new URL(postgres.supabase.url(reader)), postgres.supabase.io),
    ],
  ] as const

  describe.each(ways)('over %s', (way, database, unguarded) => {
    const query = (sql: string, identity?: Identity): Promise<Rows> =>
      database.query({ sql }, { ...limits, identity })
    const as = (sub: string): Identity => ({ role: app, claims: claimsOf(sub) })

    test('returns only the rows of its caller among concurrent queries', async () => {
      const asked = Array.from({ length: 18 }, (_, i) => people[i % 3]!)
      const answers = await Promise.all(
        asked.map((it) => query('select id, owner from notes order by id', as(it))),
      )
      for (const [i, { rows }] of answers.entries()) {
        expect(rows).toEqual(ids(asked[i]!).map((id) => [id, asked[i]]))
      }
    })

    test('sees the exact role and claims', async () => {
      const sql = `select current_user::text, session_user::text,
        current_setting('request.jwt.claims', true)`
      expect((await query(sql, as('alice'))).rows).toEqual([[app, reader, claimsOf('alice')]])
      const [row] = (await query(sql)).rows
      expect(row?.slice(0, 2)).toEqual([reader, reader])
      // A setting that was set earlier in the session is an empty string afterwards.
      expect(row?.[2] || null).toBeNull()
    })

    test.each([
      `'; reset role; --`,
      `"}`,
      '\\',
      '\\\'"$1$tidegate$ \u{1f30a}\n\u0000\u2028',
      '\ud83c',
      'x'.repeat(8 * 1024 - 12),
    ])('carries the caller name %j unchanged', async (name) => {
      const claims = claimsOf(name)
      const sql = "select current_setting('request.jwt.claims', true)"
      expect((await query(sql, { role: app, claims })).rows).toEqual([[claims]])
      expect((await query('select id from notes', as('alice'))).rows).toHaveLength(10)
      // A name that PostgreSQL cannot store as text matches no rows.
      const found = await query('select id from notes', { role: app, claims }).catch(
        () => undefined,
      )
      expect(found?.rows ?? []).toEqual([])
    })

    test('refuses claims that are over 8 KiB or not a valid JSON object', async () => {
      const long = claimsOf('é'.repeat(4 * 1024))
      for (const claims of [long, '', '[]', '"alice"', '{"sub":"a\0"}', '{"sub":"\ud83c"}']) {
        const error = await failure(query('select 1', { role: app, claims }))
        expect(error).toMatchObject({ kind: 'refused', message: expect.stringContaining('8192') })
      }
    })

    test.each(hostile)('runs with the role of this exact name: %j', async (role) => {
      expect((await query('select current_user::text', { role })).rows).toEqual([[role]])
    })

    test.each(HOSTILE)('fails for the unknown role %j', async (role) => {
      const error = await failure(query('select 1', { role }))
      expect(error).toMatchObject({
        kind: 'config',
        code: '22023',
        message: expect.stringContaining('does not exist'),
      })
      expect(error.message).not.toContain(role)
    })

    test.each(['none', 'NONE', '', 'a\0b', 'x'.repeat(64), '\ud83c'])(
      'rejects the invalid role name %j without sending it',
      async (role) => {
        const error = await failure(query('select 1', { role }))
        expect(error).toMatchObject({ kind: 'config', code: undefined })
      },
    )

    test('suggests a grant if the login may not use the role', async () => {
      expect(await failure(query('select 1', { role: other }))).toMatchObject({
        kind: 'config',
        code: '42501',
        hint: expect.stringContaining('GRANT role TO login'),
      })
    })

    test('does not report an error in the statement as a role error', async () => {
      const error = await failure(query('select * from unseen', as('alice')))
      expect(error).toMatchObject({
        kind: 'refused',
        message: 'permission denied for table unseen',
      })
      expect(await failure(query("select 'x'::integer", as('alice')))).toMatchObject({
        kind: 'sql',
      })
    })

    test('refuses claims if the role bypasses row-level security', async () => {
      const claims = claimsOf('alice')
      const ignored = { kind: 'config', message: expect.stringContaining('row-level security') }
      expect(await failure(query('select * from notes', { role: bypass, claims }))).toMatchObject(
        ignored,
      )
      // Without claims, the operator may intend this.
      expect((await query('select * from notes', { role: bypass })).rows).toHaveLength(30)
      await postgres.admin(`alter role ${reader} bypassrls`)
      const error = await failure(query('select 1', { claims }))
      await postgres.admin(`alter role ${reader} nobypassrls`)
      expect(error).toMatchObject(ignored)
      expect((await query('select 1', { claims })).rows).toEqual([[1]])
    })

    test('uses its identity for lists, descriptions, plans and fingerprints', async () => {
      const own = { ...limits, identity: as('alice') }
      const names = async (it: Limits) =>
        (await listTables(database, { limit: 10, limits: it })).tables.map(({ name }) => name)
      expect(await names(own)).toEqual(['notes'])
      expect(await names(limits)).toEqual([])
      expect((await findTable(database, 'notes', own)).columns).toHaveLength(3)
      expect(await failure(findTable(database, 'notes', limits))).toMatchObject({ kind: 'sql' })
      expect(await failure(findTable(database, 'unseen', own))).toMatchObject({ kind: 'sql' })
      const plan = await explain(database, { sql: 'select * from notes' }, own)
      expect(plan.summary.join()).toContain('request.jwt.claims')
      expect(await fingerprint(database, own)).not.toBe(await fingerprint(database, limits))
      expect((await query('show role', as('alice'))).rows).toEqual([[app]])
      expect((await query("select 'sad'::mood", as('alice'))).columns[0]?.type).toBe('mood')
    })

    describe('cannot change its identity:', () => {
      const changes = [
        "select set_config('role', 'none', true)",
        'select set_config(\'request.jwt.claims\', \'{"sub":"bob"}\', true), * from notes',
        "select pg_catalog.set_config('role', 'none', true)",
        `select "pg_catalog" . "set_config" ('role', 'none', true)`,
        `select U&"set\\005fconfig"('role', 'none', true)`,
        `select U&"set!005fconfig" UESCAPE '!' ('role', 'none', true)`,
        "select SET_CONFIG /* x */ ('role', 'none', true)",
        "select set_config(setting_name => 'role', new_value => 'none', is_local => true)",
        "select * from notes where set_config('role', 'none', true) is not null",
        "select * from set_config('role', 'none', true)",
        "select * from notes, lateral set_config('role', 'none', true)",
        "select * from rows from (set_config('role', 'none', true)) x",
        "select (select set_config('role', 'none', true)) from notes",
        "values (set_config('role', 'none', true))",
        "with x as materialized (select set_config('role', 'none', true)) select * from x, notes",
        "with set_config (a, b, c) as (select 1, 2, 3) select set_config('role', 'none', true)",
        "select * from notes order by set_config('role', 'none', true)",
        "explain select set_config('role', 'none', true)",
        "select query_to_xml('select set_config(''role'', ''none'', true)', true, true, '')",
        "select ts_stat('select set_config(''role'', ''none'', true)')",
        'set role none',
        'set local role none',
        'reset role',
        'reset all',
        'discard all',
        `set session authorization ${reader}`,
        'set session authorization default',
        "set request.jwt.claims to '{}'",
        "update pg_settings set setting = 'none' where name = 'role'",
        "with x as (update pg_settings set setting = 'none' where name = 'role' returning 1) select 1",
        'select 1; set role none',
        'rollback',
        'commit',
        'do $$ begin set role none; end $$',
        'prepare x as select 1',
        "select set_user('postgres')",
        'select reset_user()',
        "select auth.jwt_session_init('x')",
      ]

      test.each(changes)('the guard refuses %s', async (sql) => {
        expect(await failure(query(sql, as('alice')))).toMatchObject({ kind: 'refused' })
      })

      const isQuery = (it: string) => /^(?:select|values|with|explain)\b(?!.*;)/.test(it)
      test.each(changes.filter((it) => !isQuery(it)))(
        'the engine refuses %s without the guard',
        async (sql) => {
          const own = { ...limits, identity: as('alice') }
          await failure(unguarded.query({ sql }, own))
          expect((await query('select id from notes', as('alice'))).rows).toHaveLength(10)
        },
      )

      // As docs/groups.md says, only the guard stops a function that changes a setting.
      test('except with set_config() without the guard', async () => {
        const bob = claimsOf('bob').replaceAll("'", "''")
        const sql = `with x as materialized (select set_config('request.jwt.claims', '${bob}', true))
          select n.owner from x, notes n`
        const found = await unguarded.query({ sql }, { ...limits, identity: as('alice') })
        expect(new Set(found.rows.flat())).toEqual(new Set(['bob']))
        const back = "select set_config('role', 'none', true), current_user::text"
        const left = await unguarded.query({ sql: back }, { ...limits, identity: as('alice') })
        expect(left.rows).toEqual([['none', reader]])
        // The change ends with the transaction.
        expect((await query('select current_user::text', as('alice'))).rows).toEqual([[app]])
        expect((await query('select current_user::text')).rows).toEqual([[reader]])
      })
    })

    // This is also in docs/groups.md. Supabase's own login may lack this grant.
    test('needs set_config() only for the login', async () => {
      const setConfig = 'function pg_catalog.set_config(text, text, boolean)'
      await postgres.admin(`revoke execute on ${setConfig} from public;
        grant execute on ${setConfig} to ${reader}`)
      try {
        const own = { ...limits, identity: as('alice') }
        expect((await query('select id from notes', as('alice'))).rows).toHaveLength(10)
        expect((await listTables(database, { limit: 10, limits: own })).total).toBe(1)
        expect((await findTable(database, 'notes', own)).columns).toHaveLength(3)
        const sql = "select set_config('role', 'none', true)"
        expect(await failure(unguarded.query({ sql }, own))).toMatchObject({ kind: 'refused' })
      } finally {
        await postgres.admin(`grant execute on ${setConfig} to public;
          revoke execute on ${setConfig} from ${reader}`)
      }
    })

    test('leaves no session state behind', async () => {
      await query('select * from notes', as('alice'))
      await failure(query('select 1 / 0 from notes', as('alice')))
      await failure(query('select * from nowhere', as('alice')))
      await failure(query('select pg_sleep(5)', as('alice')))
      await failure(
        database.query(
          { sql: 'select count(*) from generate_series(1, 1e9)' },
          { ...limits, identity: as('alice'), timeoutMs: 200 },
        ),
      )
      const [row] = (
        await query(`select current_user::text, current_setting('role'),
        current_setting('request.jwt.claims', true), current_setting('row_security')`)
      ).rows
      expect([row?.[0], row?.[1], row?.[2] || null, row?.[3]]).toEqual([reader, 'none', null, 'on'])
      expect(await failure(query('select * from notes'))).toMatchObject({ kind: 'refused' })
      if (!way.includes('pooler')) return
      const next = new pg.Client(pooled)
      await next.connect()
      const { rows } = await next.query(`select pg_backend_pid(), current_user::text as name,
        current_setting('request.jwt.claims', true) as claims`)
      await next.end()
      expect(rows).toMatchObject([{ name: reader, claims: '' }])
      const { rows: again } = await query('select pg_backend_pid()', as('bob'))
      expect(again).toEqual([[rows[0].pg_backend_pid]])
    })
  })

  test('works with the setup in docs/groups.md', async () => {
    const page = readFileSync('docs/groups.md', 'utf8')
    const advised = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql)
    expect(advised).toHaveLength(2)
    const made = await postgres.admin(`begin;
      create table orders (id integer, owner text);
      insert into orders values (1, 'alice'), (2, 'bob');
      ${advised.join(';')};
      set session authorization tidegate_login;
      select set_config('request.jwt.claims', '{"sub":"alice"}', true),
        set_config('role', 'tidegate_app', true);
      select owner, has_function_privilege('set_config(text, text, boolean)', 'execute') from orders;
      rollback`)
    const results = made as unknown as { rows: object[] }[]
    expect(results.at(-2)?.rows).toEqual([{ owner: 'alice', has_function_privilege: false }])
  })

  // Neon commits, and may reuse the session for another client.
  test('limits every setting to the transaction over HTTP', async () => {
    const own = { ...limits, identity: { role: app, claims: claimsOf('alice') } }
    for (const internal of [false, true]) {
      await ways[2][1].query({ sql: 'select 1', internal }, own)
      const sent = postgres.neon.requests.at(-1)!.join('\n')
      const settings = sent.match(/set_config\('[\w.]+'/g) ?? []
      expect(settings).toEqual(
        expect.arrayContaining(["set_config('role'", "set_config('request.jwt.claims'"]),
      )
      expect(sent.match(/, true\)/g)).toHaveLength(settings.length)
    }
  })
})
