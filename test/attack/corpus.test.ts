import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Witness } from '../support/witness.ts'
import { ours, readCorpus } from './corpus.ts'
import { ofAttack, ofBenign, ofName } from './verdict.ts'

const engines = ['postgres', 'mysql', 'sqlite', 'clickhouse']
const folder = mkdtempSync(join(tmpdir(), 'tidegate-corpus-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a corpus', () => {
  test('of this repository has no line that cannot be tried', () => {
    const { attacks, names, benign, problems } = readCorpus(ours, engines)
    expect(problems).toEqual([])
    for (const list of [attacks, names, benign]) expect(list.length).toBeGreaterThan(20)
    const all = [...attacks, ...benign].map(({ name }) => name)
    expect(new Set(all).size).toBe(all.length)
  })

  test('of another may hold what nobody expects, and says where', () => {
    const file = join(folder, 'other.jsonl')
    const lines = [
      '{"engine": "MariaDB", "sql": "select 1", "expect": "rejected"}',
      '',
      'not json',
      '{"engine": "oracle", "sql": "select 1"}',
      '{"engine": "postgres"}',
      'null',
      '{"engine": "any", "arg": "pattern", "value": "%"}',
      '{"engine": "sqlite", "name": "a", "sql": "select 1", "expect": "allowed"}',
    ]
    writeFileSync(file, lines.join('\r\n'))
    const { attacks, names, benign, problems } = readCorpus([file], engines)
    expect(attacks).toMatchObject([{ engine: 'mysql', name: 'mysql_1' }])
    expect(names).toMatchObject([{ engine: 'any' }])
    expect(benign).toMatchObject([{ name: 'a' }])
    expect(problems.map((it) => it.replace(file, ''))).toEqual([
      ', line 3: not a JSON object with an "engine" and with "sql" or "value".',
      ', line 4: the engine "oracle" is none of postgres, mysql, sqlite, clickhouse.',
      ', line 5: not a JSON object with an "engine" and with "sql" or "value".',
      ', line 6: not a JSON object with an "engine" and with "sql" or "value".',
    ])
  })
})

describe('a server that an attack ended', () => {
  test('is started anew before its state is put back, and that is an effect', async () => {
    const did: string[] = []
    let ended = false
    const witness = await Witness.of({
      state: async () => (ended ? '' : 'rows'),
      async revive() {
        did.push('revive')
        ended = false
      },
      restore: async () => void did.push('restore'),
    })
    ended = true
    expect(await witness.changed()).toBe(true)
    expect(did).toEqual(['revive', 'restore'])
    expect(await witness.changed()).toBe(false)
  })
})

describe('an answer', () => {
  const error = (text: string) => ({ isError: true, content: [{ text }] })
  const rows = { structuredContent: { rows: [[1]], truncated: false } }
  const attack = (result: object, expected = 'rejected', endless = false) =>
    ofAttack(result, expected, endless, ['hunter2'])

  test('to an attack is a sentence that says nothing to strangers', () => {
    expect(attack(error('INTO is not allowed here.'))).toBeUndefined()
    expect(attack(error('At hunter2 nobody answers.'))).toContain('a secret')
    expect(attack(error('Error: x\n    at run (a.ts:1:1)'))).toContain('it says')
    expect(attack(error('The query failed for a reason that was logged (1).'))).toContain('it says')
    expect(attack(error('no'))).toContain('it only says')
  })

  test('to an attack is rows only where nothing else was expected, or a cap cut them', () => {
    expect(attack(rows)).toContain('with rows')
    expect(attack(rows, 'no_effect')).toBeUndefined()
    expect(attack(rows, 'rejected', true)).toContain('with rows')
    const cut = { structuredContent: { rows: [[1]], truncated: true } }
    expect(attack(cut, 'rejected', true)).toBeUndefined()
    expect(attack(cut)).toContain('with rows')
  })

  test('to a read is its rows', () => {
    expect(ofBenign(rows)).toBeUndefined()
    expect(ofBenign(error('Refused.'))).toBe('Refused.')
  })

  test('to a name shows a table that everybody sees, or none', () => {
    const name = (value: string, found: string) =>
      ofName(
        { structuredContent: { name: found } },
        { engine: 'postgres', arg: 'table', value, why: '' },
        ['users'],
        [],
      )
    expect(name('public.users', 'users')).toBeUndefined()
    expect(name('users; select 1', 'users')).toContain('names no table')
    expect(name('pg_authid', 'pg_authid')).toContain('it shows pg_authid')
  })
})
