import { words } from '../words.ts'
import type {
  Answer,
  Connection as Client,
  ConnectionConfig,
  default as Library,
  Prepared,
} from './mysql2.mjs'
import { pipeline } from './pipeline.ts'
import { runsLastPrepared, type Server, serverOf } from './read-only.ts'
import { connectFailure, failure, notEncrypted } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'

/** One connection to a MySQL server. What it does is a promise that fails with a DatabaseError. */
export class Connection {
  readonly client: Client
  readonly #timeoutMs: number
  readonly #broken = Promise.withResolvers<unknown>()
  readonly #prepared = new Map<string, Promise<Prepared>>()
  readonly #library: typeof Library
  #isOpen = false
  #runsLast = false

  constructor(
    library: typeof Library,
    login: Login & { readonly tls: boolean },
    timeoutMs: number,
    connectMs = timeoutMs,
  ) {
    this.#library = library
    this.#timeoutMs = timeoutMs
    this.client = library.createConnection(configOf(library, login, connectMs))
    if (login.tls) heedOnlyEncrypted(this.client)
    // Each call rejects with its own error. But without a listener, an error would end the process.
    this.client.on('error', (error: unknown) => this.#break(error))
    this.client.on('end', () => this.#break(undefined))
  }

  /** Whether it is logged in, and nothing has ended it. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves with the error of a connection that breaks. */
  get broken(): Promise<unknown> {
    return this.#broken.promise
  }

  #break(error: unknown): void {
    this.#isOpen = false
    this.#broken.resolve(error ?? {})
  }

  /** Resolves with the kind of server once it has let us in. It says whether to send several commands at once. */
  opened(atOnce = true): Promise<Server> {
    return new Promise((resolve, reject) => {
      this.client.on('error', (error: unknown) => reject(connectFailure(error)))
      this.client.once('connect', ({ serverVersion }: { serverVersion: string }) => {
        this.#isOpen = true
        const server = serverOf(serverVersion)
        // As MariaDB's own clients do, and none of MySQL's: Aurora does not take it.
        if (atOnce && server === 'mariadb') pipeline(this.client)
        this.#runsLast = runsLastPrepared(serverVersion)
        resolve(server)
      })
    })
  }

  /** Runs one of our own statements, and returns its rows. */
  run(sql: string): Promise<readonly (readonly unknown[])[]> {
    return new Promise((resolve, reject) => {
      this.client.query(sql, (error, rows) =>
        error ? reject(failure(error, this.#timeoutMs)) : resolve(Array.isArray(rows) ? rows : []),
      )
    })
  }

  /**
   * Has the server read a statement without running it. It takes one, and no more. The same text is read once: of two
   * statements with one text, the library closes the first, which may still be about to run.
   */
  prepare(sql: string): Promise<Prepared> {
    const known = this.#prepared.get(sql)
    if (known) return known
    const prepared = new Promise<Prepared>((resolve, reject) => {
      this.client.prepare(sql, (error, prepared) =>
        error ? reject(failure(error, this.#timeoutMs)) : resolve(prepared),
      )
    })
    this.#prepared.set(sql, prepared)
    return prepared
  }

  /** Whether it takes a statement and the word to run it in one turn. */
  get runsLast(): boolean {
    return this.#runsLast
  }

  /**
   * Has the server read a statement and run it, in one turn: it runs nothing if it cannot read it. Undefined where
   * the server has this text already, or wants to be told a number.
   */
  prepareAndRun(
    sql: string,
    values: readonly unknown[],
  ): { readonly prepared: Promise<Prepared>; readonly answer: Answer | undefined } | undefined {
    if (!this.#runsLast || this.#prepared.has(sql)) return undefined
    const prepared = this.prepare(sql)
    const statement = { id: LAST_PREPARED, parameters: [] }
    return {
      prepared,
      answer: this.client.addCommand(new this.#library.Execute({ statement, values })),
    }
  }

  /** Has the server read anew what it has read until now: with other settings, a text may mean something else. */
  forget(): void {
    for (const sql of this.#prepared.keys()) this.client.unprepare(sql)
    this.#prepared.clear()
  }

  /** Takes leave of the server. Resolves when the connection is closed. */
  async end(): Promise<void> {
    // In a Worker, `mysql2` never ends a connection whose login failed.
    if (!this.#isOpen) return
    await new Promise<void>((resolve) => {
      this.client.on('end', resolve)
      this.client.end(() => resolve())
    })
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.client.stream.destroy()
  }
}

/**
 * Takes nothing that comes unencrypted behind the greeting: anybody in between could have sent it, and the library
 * would answer it as if it came from the server.
 */
function heedOnlyEncrypted(client: Client): void {
  const { startTLS, handlePacket } = client
  let isEncrypting = false
  client.startTLS = (done) => {
    isEncrypting = true
    startTLS.call(client, (error) => {
      isEncrypting = false
      done(error)
    })
  }
  client.handlePacket = (packet) => {
    if (!isEncrypting) return handlePacket.call(client, packet)
    client.emit('error', notEncrypted())
    client.stream.destroy()
  }
}

/** Stands for the number of the statement that was prepared last. */
const LAST_PREPARED = 0xffffffff

/** How long to wait for a connection: a server that takes longer does not let us in at all. */
const CONNECT_MS = 10_000

/** Types whose values `mysql2` reads. All others are left as bytes. */
const READ_TYPES = new Set(
  words(
    'TINY SHORT LONG INT24 LONGLONG YEAR FLOAT DOUBLE NULL',
    'DATE NEWDATE DATETIME TIMESTAMP TIME',
  ),
)

const configOf = (
  library: typeof Library,
  login: Login & { readonly tls: boolean },
  connectMs: number,
): ConnectionConfig => ({
  host: login.host,
  port: login.port,
  user: login.user,
  password: login.password,
  database: login.database,
  // It sends the password as it is: a token, over TLS.
  enableCleartextPlugin: login.token !== undefined && login.tls,
  ssl: login.tls ? { verifyIdentity: true } : undefined,
  // A key from somebody in between would let them read the password.
  authPlugins: login.tls || login.takesKey ? {} : library.withoutKey,
  connectTimeout: Math.min(connectMs, CONNECT_MS),
  charset: 'utf8mb4',
  // The server cannot ask for a file, and a name before a space and a parenthesis calls no function.
  flags: ['-LOCAL_FILES', '-IGNORE_SPACE', '-MULTI_RESULTS', '-ODBC'],
  multipleStatements: false,
  // A Worker compiles no code while it runs.
  disableEval: true,
  rowsAsArray: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  typeCast: (field, next) => (READ_TYPES.has(field.type) ? next() : field.buffer()),
})
