import tls from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { mysqlReport } from '../servers/faulty.ts'
import {
  type Break,
  type Fault,
  type Frame,
  mysqlFrame,
  postgresFrame,
  startMessageProxy,
  tlsFrame,
} from '../servers/messages.ts'
import { report } from '../servers/tcp.ts'
import { makeCertificate } from '../support/certificate.ts'
import { SETUP } from '../support/count-calls.ts'
import { endpointBefore, resultOf } from '../support/endpoint.ts'
import { startMariaDb } from '../support/mariadb.ts'
import { startPostgres, startTlsPostgres, type TestPostgres } from '../support/postgres.ts'

// A call asks several things by one connection. Whatever happens between any two messages, it ends.

/** The time limits of calls that have to wait for it, in milliseconds: the next one if no fault came about before. */
const TIMEOUTS_MS = [300, 1_500, 7_500]

/** What comes on top of it: a server's own timer goes first, goodbyes take time; and slack. */
const MARGIN_MS = 2_000 + 1_000 + 4_000

/** How many calls go on at once: fewer than any server takes. */
const AT_ONCE = 30

/** What a model reads: a sentence, perhaps with a code, and a hint. */
const SENTENCE = /^The (?:database|query|certificate) [^\n]+\.(?: \(\w+\))?(?:\nHint: [^\n]+\.)?$/

interface Way {
  readonly port: number
  url(port: number): string
  readonly frame: Frame
  /** What the server says when it ends, instead of a message. */
  farewell(instead: Buffer): Buffer
  /** The sessions that are left. */
  sessions(): Promise<number>
  drop(): Promise<unknown>
}

const ways: Record<string, Way> = {}
afterAll(() => Promise.all(Object.values(ways).map((it) => it.drop())))

const postgresWay = (postgres: TestPostgres, frame: Frame): Way => ({
  port: postgres.config.port!,
  url: (port) => postgres.tcp(postgres.reader, port),
  frame,
  farewell: () => (frame === postgresFrame ? report('57P01', 'it ends') : Buffer.alloc(0)),
  async sessions() {
    const { rows } = await postgres.admin(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'tidegate'`,
    )
    return rows.length
  },
  drop: () => postgres.drop(),
})

const plain = await startPostgres(SETUP)
if (plain) ways['PostgreSQL over TCP'] = postgresWay(plain, postgresFrame)

const certificate = makeCertificate()
if (certificate) {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.cert])
  const secure = await startTlsPostgres(SETUP, certificate)
  if (secure) ways['PostgreSQL over TLS'] = postgresWay(secure, tlsFrame)
}

const mariadb = await startMariaDb(SETUP)
if (mariadb) {
  const { port, reader } = mariadb
  ways['MariaDB over TCP'] = {
    port,
    url: (port) => mariadb.url(reader).replace(/:\d+\//, `:${port}/`),
    frame: mysqlFrame,
    farewell(instead) {
      const packet = mysqlReport(1053, 'Server shutdown in progress')
      // It is counted as the one in whose place it comes.
      packet.writeUInt8(instead[3]!, 3)
      return packet
    },
    async sessions() {
      const sql = 'select id from information_schema.processlist where user = ?'
      return (await mariadb.admin(sql, [reader])).length
    },
    drop: () => mariadb.drop(),
  }
}

const table = { table: 'orders', columns: ['id', 'customer'], orderBy: ['id'] }

/** Calls a tool over a way that may break. */
async function call({ port, url, frame, farewell }: Way, timeoutMs = 20_000, broken?: Break) {
  const proxy = await startMessageProxy(port, frame, farewell, broken)
  const server = endpointBefore(url(proxy.port), { caps: { timeoutMs } })
  const began = performance.now()
  const result = await resultOf(server, 'query_table', table)
  expect(performance.now() - began).toBeLessThan(timeoutMs + MARGIN_MS)
  await expect.poll(() => proxy.open, { timeout: 5_000 }).toBe(0)
  await proxy.close()
  delete result.structuredContent?.elapsedMs
  return { result, messages: proxy.messages, struck: proxy.struck }
}

/** Calls it over a way that breaks. On a busy machine time may be up before it does: then with more of it. */
async function brokenCall(way: Way, broken: Break) {
  let made: Awaited<ReturnType<typeof call>> | undefined
  for (const timeoutMs of TIMEOUTS_MS) {
    made = await call(way, timeoutMs, broken)
    if (made.struck) break
  }
  return made!
}

describe.each(Object.entries(ways))('%s', (_, way) => {
  // Each message meets one of a line. Those of the last line have to be waited for.
  test.each<[string, readonly Fault[]]>([
    ['the end of the connection', ['cut']],
    ['the end of the server, or half of it comes', ['end', 'half']],
    ['silence, or what means nothing', ['stall', 'half, then stall', 'garbage']],
  ])('answers whole or says why, whichever message meets this: %s', async (_, kinds) => {
    const whole = await call(way)
    expect(whole.result.isError).toBeUndefined()
    const breaks = Array.from({ length: whole.messages }, (_, passes) => ({
      passes,
      fault: kinds[passes % kinds.length]!,
    }))
    const failed: string[] = []
    let struck = 0
    const work = async () => {
      for (let it = breaks.shift(); it; it = breaks.shift()) {
        const { result, struck: met } = await brokenCall(way, it)
        if (met) struck++
        if (result.isError) failed.push(result.content[0].text)
        else expect(result.structuredContent).toEqual(whole.result.structuredContent)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    for (const it of new Set(failed)) expect(it).toMatch(SENTENCE)
    // A question of ours that met the end of its session is asked once more, and so has an answer.
    expect(struck).toBeGreaterThan(whole.messages * 0.9)
    expect(failed.length).toBeGreaterThan(whole.messages / 2)
    await expect.poll(() => way.sessions(), { timeout: 10_000 }).toBe(0)
  })
})
