import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error: plain JavaScript
import { bringUpToDate } from '../../scripts/up-to-date.mjs'
import { describeMariaDb } from '../support/mariadb.ts'
import { describePostgres } from '../support/postgres.ts'
import { plainVars, program } from '../support/spawned.ts'

/** Set KILLED_ROUNDS=100 for a thorough test. */
const ROUNDS = Number(process.env.KILLED_ROUNDS ?? 4)

/** A host is killed within this time after its start: while the command starts, connects, queries and reads. */
const MOMENTS_MS = 1_500

/** The time limit of a statement. A server that notices nothing ends the statement then. */
const TIMEOUT_SECONDS = 3

/** The time within which nothing may be left. */
const PATIENCE_MS = (TIMEOUT_SECONDS + 12) * 1_000

/** The reason to skip the tests: only /proc lists everything that a process starts. */
const whyNot = process.platform === 'linux' ? undefined : 'it takes /proc'

interface Engine {
  readonly url: string
  readonly long: string
  readonly quick: string
  /** The number of sessions on the server. */
  sessions(): Promise<number>
}

/** Kills a host or its command at a random moment. Returns the processes and files that are left at the end. */
async function killed(engine: Engine, round: number) {
  const moment = Math.random() * MOMENTS_MS
  const folder = mkdtempSync(join(tmpdir(), 'killed-'))
  // All child processes inherit it.
  const vars = plainVars({ TMPDIR: folder, KILLED_ROUND: folder })
  const era = round % 2 === 0 ? 'modern' : 'legacy'
  const command = [process.execPath, program, engine.url, '--timeout', String(TIMEOUT_SECONDS)]
  const client = resolve('test/servers/dying-client.mjs')
  const host = spawn(process.execPath, [client, era, engine.long, engine.quick, ...command], {
    env: vars,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [pid] = (await once(createInterface({ input: host.stdout }), 'line')) as [string]
  await sleep(moment)
  // In half of the rounds, the command dies first, and its host a moment later.
  if (round % 4 > 1) process.kill(Number(pid), 'SIGKILL')
  else host.kill('SIGKILL')
  const last = Date.now() + PATIENCE_MS
  let left = await leftOf(folder)
  if (round % 4 > 1) {
    // The host is still there, and its command is not.
    while (left.processes.length > 1 && Date.now() < last)
      left = await sleep(50).then(() => leftOf(folder))
    host.kill('SIGKILL')
  }
  while ((left.processes.length > 0 || left.files.length > 0) && Date.now() < last) {
    await sleep(50)
    left = leftOf(folder)
  }
  rmSync(folder, { recursive: true })
  return left
}

/** The processes that inherited this mark, and the files in their temporary folder. */
function leftOf(mark: string) {
  const processes = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1')
      if (!environment.includes(`KILLED_ROUND=${mark}\0`)) return []
      return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')]
    } catch {
      return []
    }
  })
  return { processes, files: readdirSync(mark) }
}

function leavesNothing(engineOf: () => Engine): void {
  test.skipIf(whyNot)(
    `leaves no process, no file and no session, in ${ROUNDS} rounds`,
    async () => {
      const engine = engineOf()
      // Two hosts at once, because each one mostly waits.
      const rounds = Array.from({ length: ROUNDS }, (_, round) => round)
      const left: unknown[] = []
      const lane = async () => {
        for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
          left.push(await killed(engine, round))
        }
      }
      await Promise.all([lane(), lane()])
      expect(left).toEqual(Array.from({ length: ROUNDS }, () => ({ processes: [], files: [] })))
      await expect.poll(engine.sessions, { timeout: PATIENCE_MS, interval: 100 }).toBe(0)
    },
    ROUNDS * PATIENCE_MS,
  )
}

describe('a killed host or command', async () => {
  // Otherwise the commands would build the package, and leave more behind.
  beforeAll(() => bringUpToDate(), 600_000)
  await describePostgres(
    'on PostgreSQL',
    'create table numbers as select n from generate_series(1, 3000) n',
    (postgres) => {
      leavesNothing(() => ({
        url: `${postgres.tcp(postgres.reader)}?sslmode=disable`,
        long: 'select count(*) from numbers a, numbers b, numbers c',
        quick: 'select n from numbers limit 1000',
        sessions: async () => {
          const { rows } = await postgres.admin(
            'select count(*)::int as n from pg_stat_activity where usename = $1',
            [postgres.reader],
          )
          return rows[0].n
        },
      }))
    },
  )

  await describeMariaDb(
    'on MariaDB',
    'create table numbers as select seq as n from seq_1_to_3000',
    (mariadb) => {
      leavesNothing(() => ({
        url: mariadb.url(mariadb.reader),
        long: 'select count(*) from numbers a, numbers b, numbers c',
        quick: 'select n from numbers limit 1000',
        sessions: async () => {
          const rows = await mariadb.admin(
            `select count(*) as n from information_schema.processlist where user = '${mariadb.reader}'`,
          )
          return Number(rows[0]?.n)
        },
      }))
    },
  )
})
