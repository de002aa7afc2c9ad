import { afterAll, beforeAll, expect, test } from 'vitest'
import { supabase } from '../../../src/database/supabase/driver.ts'
import { type Options, startSupabase } from '../../servers/supabase.ts'
import { attacks } from '../../support/attacks.ts'
import { describePostgres, type TestPostgres } from '../../support/postgres.ts'
import { postgresScene, setup } from '../../support/postgres-scene.ts'
import { Witness } from '../../support/witness.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 400 }

/** Grants every write. No missing privilege can then stop a statement. */
const grants = (reader: string) => `
  grant all on schema public to ${reader};
  grant all on all tables in schema public to ${reader};
  grant all on all sequences in schema public to ${reader};
`

/** The text that is sent, without the parts that begin and check a read-only transaction. */
const unbegun = (text: string) =>
  text.replace(/^begin read only/, 'begin').replace("operator(pg_catalog.<>) 'on'", 'is null')

// All of these are functions, which write wherever they are called.
const functions = [
  ...['pg_fn_nextval', 'pg_fn_setval', 'pg_fn_crosstab', 'pg_values_nextval', 'pg_attr_subscript'],
  ...['pg_lex_unicode_uescape', 'pg_lex_paren_delete'],
  ...['pg_dot_alias_of_value', 'pg_dot_made_name', 'pg_dot_alias_rows_from'],
]

const layers: readonly (readonly [string, Options, readonly string[]])[] = [
  ['only a read-only transaction', { readOnly: false }, []],
  ['only a read-only role', { sent: unbegun }, []],
  ['neither, except by functions', { readOnly: false, sent: unbegun }, functions],
]

const tests = (postgres: TestPostgres) => {
  let scene: Awaited<ReturnType<typeof postgresScene>>
  let witness: Witness
  beforeAll(async () => {
    scene = await postgresScene(postgres)
    witness = await Witness.of({
      state: scene.state,
      async restore() {
        await scene.restore()
        await postgres.admin(grants(postgres.reader))
      },
    })
  })
  afterAll(() => scene.end())

  test.each(layers)(
    'changes nothing with %s',
    async (_, options, known) => {
      const server = await startSupabase(postgres.config, options)
      const database = supabase.open(new URL(server.url(postgres.reader)), server.io)
      const effective: string[] = []
      for (const { name, sql } of attacks('postgres')) {
        await database.query({ sql }, limits).catch(() => {})
        if (await witness.changed()) effective.push(name)
      }
      await server.close()
      expect(effective.filter((name) => !known.includes(name))).toEqual([])
      expect(known.filter((name) => !effective.includes(name))).toEqual([])
    },
    300_000,
  )
}

await describePostgres(
  'read-only access to Supabase without the guard',
  (reader) => setup(reader) + grants(reader),
  tests,
  true,
)
