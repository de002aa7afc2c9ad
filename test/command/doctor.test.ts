import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { tidegate } from '../support/command-line.ts'
import { describePostgres } from '../support/postgres.ts'
import { plainVars, spawned } from '../support/spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-command-doctor-'))
afterAll(() => rmSync(folder, { recursive: true }))
new DatabaseSync(join(folder, 'shop.sqlite')).exec('create table orders (id)')

const doctor = (args: readonly string[], vars: Record<string, string> = {}) =>
  tidegate(['doctor', ...args], { vars: plainVars(vars), folder })

describe('npx tidegate doctor without a URL', () => {
  test('inspects the databases that npx tidegate would serve', async () => {
    const demo = await doctor(['--demo'])
    expect(demo).toMatchObject({ code: 0, stderr: '' })
    expect(demo.stdout).toMatch(/^demo\/demo: SQLite .*\nAnswered in .*\nNo findings\.\n$/)
    const byVariable = await doctor(['--json'], { DATABASE_URL: 'sqlite:shop.sqlite' })
    const byFile = await doctor(['shop.sqlite', '--json'])
    for (const { code, stdout } of [byVariable, byFile]) {
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        problems: [],
        databases: [{ dialect: 'sqlite', findings: [{ objects: ['shop.sqlite'] }] }],
      })
    }
  })

  test('fails if a database does not answer', async () => {
    const { code, stdout } = await doctor([], {
      DATABASE_URL: 'postgres://u:marker@127.0.0.1:1/shop',
    })
    expect(code).toBe(1)
    expect(stdout).toContain('nothing is listening at its host and port')
    expect(stdout).not.toContain('marker')
  })

  test.each([
    [[], 'Name a database'],
    [['--url-env', 'SHOP'], 'The variable SHOP is not set.'],
    [['--vars', 'none.env'], 'There is no file none.env.'],
    [['--vars', '/dev/zero'], '/dev/zero is too large for settings.'],
    [['--vars', '/dev/null'], '/dev/null has no line NAME=value.'],
    [['http://127.0.0.1:1/mcp', '--demo'], 'Give the URL or --demo, but not both.'],
  ])('explains what is wrong: %j', async (args, sentence) => {
    const { code, stderr } = await doctor(args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)])
  })
})

await describePostgres('a role that can do more than read', '', (postgres) => {
  test('is logged over stdio, and reported by npx tidegate doctor', async () => {
    const it = spawned([postgres.tcp('postgres')])
    await it.ask('tools/call', { name: 'query', arguments: { sql: 'select 1' } })
    await expect.poll(it.logs, { timeout: 20_000 }).toContain('more than read')
    it.end()
    await it.over
    expect(it.logs()).toMatch(/\(superuser[a-z, -]*\)\. See npx tidegate doctor\.\n/)
    const { code, stdout } = await doctor([], { DATABASE_URL: postgres.tcp('postgres') })
    expect(code).toBe(0)
    expect(stdout).toContain('HIGH superuser')
  })
})
