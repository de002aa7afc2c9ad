import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { digestOf } from './sqlite-digest.ts'

/** A server in its own process, in front of a SQLite file, because Node's SQLite cannot be interrupted. */
export interface SqliteServer {
  readonly port: number
  /** The bodies of all requests so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at requests of every shape
  readonly requests: readonly any[]
  /** A digest of everything that a statement could change and that outlives its connection. */
  snapshot(): string
  close(): void
}

/** The token that the servers accept. */
export const TOKEN = 'hunter2-marker-token'

/** Starts a script of this folder on a new database made by these statements. */
export async function startChild(
  script: string,
  setup: Iterable<string>,
  ...args: readonly (string | undefined)[]
): Promise<SqliteServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-sqlite-'))
  const file = join(folder, 'test.db')
  const database = new DatabaseSync(file)
  // With WAL, an endless read does not block other readers.
  database.exec('pragma journal_mode = wal; pragma synchronous = off; begin')
  for (const statement of setup) database.exec(statement)
  database.exec('commit')

  const requests: unknown[] = []
  const child: ChildProcess = fork(script, [file, ...args.map(String)], {
    execArgv: ['--no-warnings'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  child.once('exit', () => reject(new Error(`${script} did not start.`)))
  child.on('message', (message: { port?: number }) =>
    message.port ? resolve(message.port) : requests.push(message),
  )
  const port = await promise
  const digest = digestOf(database)
  return {
    port,
    requests,
    snapshot() {
      const files = readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name))
      const elsewhere = ['evil.db', 'copy.db', 'x'].filter((it) => existsSync(`/tmp/sl_${it}`))
      return [digest(), ...files, ...elsewhere].join(' ')
    },
    close() {
      // It would ignore SIGTERM in the middle of a statement.
      child.kill('SIGKILL')
      database.close()
      rmSync(dirname(file), { recursive: true })
    },
  }
}

/** Serves in the process of {@link startChild}. It reports each request with its body as JSON. */
export function serveChild(
  // biome-ignore lint/suspicious/noExplicitAny: requests have every shape
  answer: (body: any, ...rest: Parameters<RequestListener>) => unknown,
): void {
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const body = text && JSON.parse(text)
    process.send?.({ path: request.url, body })
    answer(body, request, response)
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () =>
    process.send?.({ port: (server.address() as AddressInfo).port }),
  )
}

/** The offset of an error in bytes. SQLite reports it, but node:sqlite does not pass it on. */
export function offsetOf(message: string, sql: string): number | undefined {
  const [, near, column] = /near "(.*)": syntax|no such column: (.*)/s.exec(message) ?? []
  const at = sql.indexOf(near ?? column ?? '\0')
  return at < 0 ? undefined : Buffer.byteLength(sql.slice(0, at))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}
