import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { open } from '../../support/open.ts'
import { spawned } from '../../support/spawned.ts'
import { makeSqliteFile } from '../../support/sqlite-file.ts'
import { gone, isListed, readers, working } from '../../support/sqlite-readers.ts'

const limits = { maxRows: 100, maxBytes: 100_000, timeoutMs: 20_000 }
const ALL = 'select sum(length(name)), count(*) from shop'
const ENDLESS =
  'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c'

const rows = [
  'create table shop (id integer primary key, name text)',
  `insert into shop with recursive c(x) as (select 1 union all select x + 1 from c limit 20000)
    select x, printf('%050d', x) from c`,
]
const whole = [1_000_000, 20_000]

/** A file, and what is at its place. All of it is gone when the test is over, and so is every process. */
function made(setup = rows) {
  const it = makeSqliteFile(setup)
  const database = open(it.url, it.io)
  const beside = () => (existsSync(it.folder) ? readdirSync(it.folder).sort() : [])
  const ask = (sql = ALL, more: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
    database.query({ sql }, { ...limits, ...more }).then(
      ({ rows }) => rows[0],
      ({ kind, message, hint = '' }) => {
        // Sentences, which do not say where the file is.
        expect(`${message} ${hint}`).not.toContain(it.folder)
        if (kind !== 'sql') expect(message).toMatch(/^[a-zA-Z][^\n]{10,250}\.$/)
        return `${kind}: ${message}`
      },
    )
  onTestFinished(async () => {
    const pids = isListed ? readers() : []
    await it.close()
    expect(await gone(pids)).toBe(true)
    if (isListed) expect(openFiles().filter((name) => name.includes(it.folder))).toEqual([])
  })
  return { ...it, ask, beside }
}

const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((it) => {
    try {
      return [readlinkSync(`/proc/self/fd/${it}`)]
    } catch {
      return []
    }
  })

const wal = ['pragma journal_mode = wal', ...rows]

/** A writer that stays until the test is over. */
function writing(path: string, sql: string): DatabaseSync {
  const writer = new DatabaseSync(path)
  writer.exec(sql)
  onTestFinished(() => writer.close())
  return writer
}

/** What a writer that dies leaves, of the files that it has beside a database. */
function leaves(path: string, sql: string, ends: readonly string[]): void {
  const writer = new DatabaseSync(path)
  writer.exec(sql)
  for (const end of ends) copyFileSync(path + end, `${path}.copy${end}`)
  writer.close()
  for (const end of ['-wal', '-shm', '-journal']) rmSync(path + end, { force: true })
  for (const end of ends) renameSync(`${path}.copy${end}`, path + end)
}

const DAMAGED = 'config: The file is damaged, or it is not a SQLite file.'

/** What happens to a file, and what a question is answered with then. */
const faults: readonly [
  what: string,
  expected: unknown,
  happen: (path: string) => void,
  setup?: string[],
][] = [
  ['is deleted', /^config: There is no file test\.db /, (path) => rmSync(path)],
  [
    'is deleted with its folder',
    /^config: There is no file test\.db /,
    (path) => rmSync(join(path, '..'), { recursive: true }),
  ],
  [
    'is replaced by another',
    [7, 1],
    (path) => {
      const next = new DatabaseSync(`${path}.next`)
      next.exec("create table shop (name text); insert into shop values ('another')")
      next.close()
      renameSync(`${path}.next`, path)
    },
  ],
  [
    'is replaced by a folder',
    'config: test.db is a folder, not a SQLite file.',
    (path) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
  [
    'is replaced by a pipe, which nobody fills',
    'config: test.db is not a file that can hold a database.',
    (path) => {
      rmSync(path)
      expect(spawnSync('mkfifo', [path]).status).toBe(0)
    },
  ],
  [
    'is replaced by a link to itself',
    'config: The path of test.db is a link that leads back to itself.',
    (path) => {
      rmSync(path)
      symlinkSync(path, path)
    },
  ],
  [
    'is cut in the middle',
    DAMAGED,
    (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  ],
  ['is cut within its header', /^config: .*not a SQLite file/, (path) => truncateSync(path, 50)],
  ['is emptied', 'sql: no such table: shop', (path) => truncateSync(path, 0)],
  [
    'becomes a text',
    'config: test.db is not a SQLite file.',
    (path) => writeFileSync(path, 'id,name\n1,x\n'),
  ],
  [
    'becomes an encrypted one',
    'config: test.db is not a SQLite file, or an encrypted one, which cannot be read.',
    (path) => writeFileSync(path, crypto.getRandomValues(new Uint8Array(8_192))),
  ],
  [
    'has no more than the name of a SQLite file in its header',
    /^config: .*not a SQLite file/,
    (path) =>
      writeFileSync(
        path,
        Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_096, 0x5a)]),
      ),
  ],
  [
    'is held by a writer',
    /^network: Another program has locked the file\. Try again\.$|^timeout: /,
    (path) => void writing(path, 'begin exclusive'),
  ],
  [
    'has a writer that has not begun to write',
    whole,
    (path) => void writing(path, 'begin immediate'),
  ],
  [
    'was left by a writer amid a write',
    /^config: A write to this file was interrupted/,
    (path) =>
      leaves(path, "pragma cache_size = 1; begin; update shop set name = 'x'", ['', '-journal']),
  ],
  [
    'has a log of writes without its index',
    /^config: test\.db was not closed/,
    (path) => leaves(path, "update shop set name = 'x'", ['', '-wal']),
    wal,
  ],
  [
    'has a log of writes that somebody still writes',
    [20_000, 20_000],
    (path) => void writing(path, "update shop set name = 'x'"),
    wal,
  ],
  [
    'has a log of writes of a writer that died',
    [20_000, 20_000],
    (path) => leaves(path, "update shop set name = 'x'", ['', '-wal', '-shm']),
    wal,
  ],
  [
    'has an index of a log that is no index',
    [20_000, 20_000],
    (path) => {
      leaves(path, "update shop set name = 'x'", ['', '-wal', '-shm'])
      writeFileSync(`${path}-shm`, Buffer.alloc(32_768, 0x5a))
    },
    wal,
  ],
]

describe('a SQLite file that', () => {
  test.each(faults)('%s, is told as what it is', async (_, expected, happen, setup) => {
    const { path, ask, folder, beside } = made(setup)
    const copy = readFileSync(path)
    expect(await ask()).toEqual(whole)
    happen(path)
    const left = beside()
    const answer = await ask(ALL, { timeoutMs: 1_000 })
    if (expected instanceof RegExp) expect(answer).toMatch(expected)
    else expect(answer).toEqual(expected)
    // Nothing is made beside it, and nothing of the fault is remembered.
    expect(beside()).toEqual(left)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(path, copy)
    expect(await ask()).toEqual(whole)
  })
})

/** More than SQLite keeps in memory, each page of which is read a hundred times. */
const large = [
  rows[0]!,
  `insert into shop with recursive c(x) as (select 1 union all select x + 1 from c limit 100000)
    select x, printf('%050d', x) from c`,
]
const LONG = 'select sum(length(a.name)), count(*) from shop a, shop b where b.id <= 100'
const all = [500_000_000, 10_000_000]

/** What happens to a file amid a question, and what that is answered with. */
const amid: readonly [
  what: string,
  expected: unknown,
  happen: (path: string) => void,
  setup?: string[],
][] = [
  ['is deleted', all, (path) => rmSync(path)],
  [
    'is replaced by another',
    all,
    (path) => {
      writeFileSync(`${path}.next`, '')
      renameSync(`${path}.next`, path)
    },
  ],
  [
    'gets a writer, which has to wait',
    all,
    (path) => {
      const writer = writing(path, "begin immediate; update shop set name = 'x'")
      expect(() => writer.exec('commit')).toThrow('locked')
    },
  ],
  [
    'gets a writer with a log of writes',
    [10_000_000, 10_000_000],
    (path) => {
      const writer = new DatabaseSync(path)
      writer.exec("update shop set name = 'x'")
      writer.close()
    },
    ['pragma journal_mode = wal', ...large],
  ],
  ['is cut', DAMAGED, (path) => truncateSync(path, 4_096)],
  ['is overwritten', DAMAGED, (path) => overwrite(path)],
]

/** In its place, as a copy of a file does it. */
function overwrite(path: string): void {
  const opened = openSync(path, 'r+')
  writeSync(opened, Buffer.alloc(statSync(path).size, 0x5a))
  closeSync(opened)
}

describe('a SQLite file that, amid a question,', () => {
  test.each(amid)('%s, is told right or not at all', async (_, expected, happen, setup = large) => {
    const { path, ask } = made(setup)
    await ask('select 1')
    let isOver = false
    const answer = ask(LONG).finally(() => {
      isOver = true
    })
    await sleep(200)
    expect(isOver).toBe(false)
    happen(path)
    expect(await answer).toEqual(expected)
  })
})

describe.runIf(isListed)('the process that reads a SQLite file', () => {
  const ENDED = 'too_large: The process that ran this statement ended before it answered.'

  test('is killed amid a question, or between two, and the next one is answered', async () => {
    const { ask, beside } = made()
    expect(await ask()).toEqual(whole)
    const left = beside()
    for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGABRT'] as const) {
      const asked = ask(ENDLESS)
      for (const it of await working()) process.kill(it, signal)
      expect(await asked).toBe(ENDED)
      expect(await ask()).toEqual(whole)
      const [idle] = readers()
      process.kill(idle!, signal)
      expect(await gone([idle!])).toBe(true)
      expect(await ask()).toEqual(whole)
    }
    expect(beside()).toEqual(left)
  })

  test('is killed beneath the command, which says so, answers the next, and leaves none', async () => {
    const { path } = made()
    const { child, ask, end, over, logs } = spawned([path])
    const query = async (sql: string) => {
      const { result } = await ask('tools/call', { name: 'query', arguments: { sql } })
      return result.isError ? result.content[0].text : result.structuredContent.rows[0]
    }
    expect(await query(ALL)).toEqual(whole)
    const asked = query(ENDLESS)
    // A second one may wait for another question.
    const pids = await working(child.pid)
    for (const it of pids) process.kill(it, 'SIGKILL')
    expect(await asked).toMatch(/^The process that ran this statement ended before it answered\./)
    expect(await query(ALL)).toEqual(whole)
    const last = readers(child.pid)
    end()
    expect(await over).toEqual([0, null])
    expect(await gone([...pids, ...last])).toBe(true)
    expect(logs()).not.toMatch(/\n\s+at /)
  })
})

/** To the administrator, no file is one of others: then somebody else asks. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const program = join(import.meta.dirname, '../../servers/sqlite-asker.ts')

describe.skipIf(process.platform === 'win32')('where there are no rights', () => {
  const mayRead = (path: string) =>
    !isRoot || spawnSync('test', ['-r', path], { uid: NOBODY }).status === 0

  test
    .skipIf(!mayRead(program))
    .each<[what: string, expected: unknown, file: number, folder: number, setup?: string[]]>([
      [
        'to the file',
        /^config: The user that runs this is not allowed to read test\.db\.$/,
        0,
        0o755,
      ],
      [
        'to the folder',
        /^config: The user that runs this is not allowed to read test\.db\.$/,
        0o644,
        0,
      ],
      ['to write', whole, 0o444, 0o555],
      ['to write, and the file has had a log of writes', whole, 0o444, 0o555, wal],
    ])('%s, a sentence says it, or there is an answer', (_, expected, file, mode, setup) => {
    const { path, folder, beside } = made(setup)
    chmodSync(path, file)
    chmodSync(folder, mode)
    const asker = spawnSync(process.execPath, ['--no-warnings', program, path, ALL], {
      encoding: 'utf8',
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    })
    chmodSync(folder, 0o755)
    expect(asker.stderr).toBe('')
    const said = JSON.parse(asker.stdout)
    if (expected instanceof RegExp) expect(said).toMatch(expected)
    else expect(said).toEqual(expected)
    expect(beside()).toEqual(['test.db'])
  })
})
