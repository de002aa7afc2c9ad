import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { filesNamedIn, Witness } from '../support/witness.ts'
import { ours, readCorpus } from './corpus.ts'
import { nothing } from './place.ts'
import { rawPostgres } from './raw-postgres.ts'
import { ofAttack, ofBenign, ofName } from './verdict.ts'

const engines = ['postgres', 'mysql', 'sqlite', 'clickhouse']
const folder = mkdtempSync(join(tmpdir(), 'tidegate-corpus-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a corpus', () => {
  test('in this repository has no invalid line', () => {
    const { attacks, names, benign, problems } = readCorpus(ours, engines)
    expect(problems).toEqual([])
    for (const list of [attacks, names, benign]) expect(list.length).toBeGreaterThan(20)
    const all = [...attacks, ...benign].map(({ name }) => name)
    expect(new Set(all).size).toBe(all.length)
  })

  test('from elsewhere can have invalid lines, which are reported with their numbers', () => {
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

describe('a path in a statement', () => {
  const path = mkdtempSync('/tmp/tidegate-named-')
  const other = `${path}.new`
  const [old, link] = [join(path, 'old'), `${path}-link`]
  afterAll(() =>
    [path, other, link].forEach((it) => void rmSync(it, { recursive: true, force: true })),
  )

  test('loses only files that were not there before', () => {
    mkdirSync(join(path, 'kept'))
    writeFileSync(old, 'kept')
    symlinkSync(path, link)
    const statement = `copy t to '${path}/made'; copy t to '${other}'; load '${link}' /tmp/.. /tmp/.`
    const files = filesNamedIn([statement])
    const before = files.seen()
    writeFileSync(join(path, 'made'), '')
    writeFileSync(other, '')
    expect(files.seen()).not.toBe(before)
    files.removeNew()
    expect(readdirSync(path).sort()).toEqual(['kept', 'old'])
    expect(readFileSync(old, 'utf8')).toBe('kept')
    expect([existsSync(other), existsSync(link)]).toEqual([false, true])
  })
})

describe('a client of raw statements', () => {
  test('survives a value that is larger than the longest string', async () => {
    const server = await startVast(540_000_000)
    const client = rawPostgres({
      host: '127.0.0.1',
      port: server.port,
      user: 'a',
      statement_timeout: 0,
    })
    // The second answer is complete, so the first one is, too.
    for (const sql of ['select 1', 'select 2']) {
      expect(await client.query({ sql }, { maxRows: 1, maxBytes: 1, timeoutMs: 1 })).toBe(nothing)
    }
    await client.end()
    await server.close()
  })
})

describe('a server that an attack stopped', () => {
  test('is started again before its state is restored, and counts as an effect', async () => {
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

  test('to an attack must be a clear error without secrets or internals', () => {
    expect(attack(error('INTO is not allowed here.'))).toBeUndefined()
    expect(attack(error('At hunter2 nobody answers.'))).toContain('a secret')
    expect(attack(error('Error: x\n    at run (a.ts:1:1)'))).toContain('it says')
    expect(attack(error('The query failed for a reason that was logged (1).'))).toContain('it says')
    expect(attack(error('no'))).toContain('it only says')
  })

  test('to an attack can have rows only if no effect was expected, or a cap truncated them', () => {
    expect(attack(rows)).toContain('with rows')
    expect(attack(rows, 'no_effect')).toBeUndefined()
    expect(attack(rows, 'rejected', true)).toContain('with rows')
    const cut = { structuredContent: { rows: [[1]], truncated: true } }
    expect(attack(cut, 'rejected', true)).toBeUndefined()
    expect(attack(cut)).toContain('with rows')
  })

  test('to a harmless read must have rows, or an error about a limit of the demo', () => {
    expect(ofBenign(rows)).toBeUndefined()
    expect(ofBenign(error('Refused.'))).toBe('Refused.')
    expect(ofBenign(error('Too expensive for the demo.'), true)).toBeUndefined()
    expect(ofBenign(error('Refused.'), true)).toContain('not refused by a bound')
    expect(ofBenign(rows, true)).toContain('not refused by a bound')
  })

  test('to a name must show a listed table or none', () => {
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

/** Starts a PostgreSQL server that answers every statement with one value of this many bytes. */
async function startVast(size: number) {
  const message = (type: string, ...parts: readonly (Buffer | string)[]) => {
    const body = Buffer.concat(parts.map((it) => Buffer.from(it)))
    return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
  }
  const ready = message('Z', 'I')
  const column = message('T', '\0\x01', 'v\0', Buffer.alloc(6), int32(25), Buffer.alloc(8))
  const answer = async (socket: Socket) => {
    socket.write(
      Buffer.concat([column, Buffer.from('D'), int32(size + 10), Buffer.from([0, 1]), int32(size)]),
    )
    const chunk = Buffer.alloc(1_000_000, 'x')
    for (let left = size; left > 0 && !socket.destroyed; left -= chunk.length) {
      const sent = socket.write(chunk.subarray(0, Math.min(left, chunk.length)))
      if (!sent) await new Promise((resolve) => socket.once('drain', resolve))
    }
    socket.write(Buffer.concat([message('C', 'SELECT 1\0'), ready]))
  }
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), ready]))
      socket.on('data', (data) => void (String(data).startsWith('Q') && answer(socket)))
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
