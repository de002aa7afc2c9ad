import { unreachable } from '../../error.ts'
import { words } from '../../words.ts'
import type { Answer, Connection as Client, default as Library, Prepared } from '../mysql2.mjs'
import { pipeline } from '../pipeline.ts'
import { quoted } from '../quote.ts'
import { runsLastPrepared, type ServerKind, serverOf } from '../read-only.ts'
import { connectFailure, failure, sentInClear } from './error.ts'
import type { MysqlLogin } from './login.ts'
import { encryptBy, type Trust } from './tls.ts'

/** Additions to a connection outside Workers. */
export interface OwnWay {
  /** Stream to the server, to use instead of opening a socket. */
  readonly stream: unknown
  /** Undefined if the connection is not encrypted. */
  readonly trust: Trust | undefined
}

/** One connection to a MySQL server. Its methods reject with a DatabaseError. */
export class MysqlConnection {
  readonly client: Client
  readonly #timeoutMs: number
  readonly #isOwn: boolean
  readonly #database: string
  #broken = Promise.withResolvers<unknown>()
  readonly #prepared = new Map<string, Promise<Prepared>>()
  readonly #library: typeof Library
  #isOpen = false
  #runsLast = false

  constructor(
    library: typeof Library,
    login: MysqlLogin & { readonly tls: boolean },
    timeoutMs: number,
    connectMs = timeoutMs,
    own?: OwnWay,
  ) {
    this.#library = library
    this.#timeoutMs = timeoutMs
    this.#isOwn = own !== undefined
    this.#database = login.database
    this.client = library.createConnection(configOf(library, login, connectMs, own?.stream))
    if (own?.trust) encryptBy(this.client, library.tls, own.trust, login.host)
    if (login.tls) heedOnlyEncrypted(this.client)
    // Each call rejects with its own error. But without a listener, an error would end the process.
    this.client.on('error', (error: unknown) => this.#break(error))
    this.client.on('end', () => this.#break(undefined))
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves with the error when the connection breaks. */
  get broken(): Promise<unknown> {
    return this.#broken.promise
  }

  #break(error: unknown): void {
    this.#isOpen = false
    this.#broken.resolve(error ?? {})
  }

  /** Resolves with the kind of server after login. With `atOnce`, commands are sent to MariaDB without waiting. */
  opened(atOnce = true): Promise<ServerKind> {
    return new Promise((resolve, reject) => {
      this.client.on('error', (error: unknown) => reject(connectFailure(error, this.#isOwn)))
      this.client.once('connect', ({ serverVersion }: { serverVersion: string }) => {
        this.#isOpen = true
        const server = serverOf(serverVersion)
        // MariaDB's own clients do this. MySQL's clients do not, and Aurora does not accept it.
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
   * Makes the server parse a statement without running it. A string with several statements is refused. The same SQL
   * is prepared only once. If it were prepared twice, the library would close the first statement, which may not have
   * run yet.
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

  /** True if the server accepts a statement and the command to run it in one round trip. */
  get runsLast(): boolean {
    return this.#runsLast
  }

  /**
   * Makes the server prepare and run a statement in one round trip. If it cannot be parsed, nothing runs. Undefined
   * if the server has already prepared this SQL, or requires a statement number.
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

  /** Closes all prepared statements so that they are parsed again: settings can change what SQL means. */
  forget(): void {
    for (const sql of this.#prepared.keys()) this.client.unprepare(sql)
    this.#prepared.clear()
  }

  /** Records the role and the database. {@link clean} checks that they have not changed. */
  note(): void {
    this.#standing = this.#stand()
  }

  /**
   * Resets the session on the server, which removes variables, locks, temporary tables and statements. The role
   * remains, and so do the profiles on MariaDB. So the role must be unchanged, and the profiles are deleted. Rejects
   * if something may remain.
   *
   * @param waitS time that the server then waits for the next statement
   */
  async clean(waitS: number): Promise<void> {
    // Not all servers have profiling.
    for (const it of UNPROFILED) this.run(it).catch(() => {})
    await new Promise<void>((resolve, reject) => {
      this.client.reset((error) => (error ? reject(error) : resolve()))
    })
    this.#prepared.clear()
    // MariaDB keeps the database selected, but loses its character set.
    if (this.#database) this.run(`use ${quoted(this.#database)}`).catch(() => {})
    const [before, now] = await Promise.all([
      this.#standing,
      this.#stand(),
      this.run(`set session wait_timeout = ${waitS}`),
    ])
    const isAsBefore = before === undefined || before === now
    if (!this.#isOpen || !isAsBefore) throw unreachable()
    // Listeners on the old promise would be kept in memory as long as the connection.
    this.#broken = Promise.withResolvers()
  }

  #standing: Promise<string> | undefined

  /** State from the login that a reset keeps: the role and the database. Empty for servers without roles. */
  async #stand(): Promise<string> {
    return JSON.stringify(await this.run('select current_role(), database()').catch(() => []))
  }

  /** Disconnects from the server. Resolves when the connection is closed. */
  async end(): Promise<void> {
    // In a Worker, `mysql2` never ends a connection whose login failed.
    if (!this.#isOpen) return
    await new Promise<void>((resolve) => {
      this.client.on('end', resolve)
      this.client.end(() => resolve())
    })
  }

  destroy(): void {
    this.#isOpen = false
    this.client.stream.destroy()
  }
}

/**
 * Rejects unencrypted data after the greeting. Anyone between us and the server could have sent it, and the library
 * would respond to it as if it came from the server.
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
    client.emit('error', sentInClear())
    client.stream.destroy()
  }
}

/** Deletes the profiles and turns profiling off. On MariaDB, profiling survives a session reset. */
const UNPROFILED = ['set session profiling_history_size = 0', 'set session profiling = 0']

/** Placeholder for the number of the most recently prepared statement. */
const LAST_PREPARED = 0xffffffff

/** Time to wait for a connection. A server that takes longer is not going to accept it. */
const CONNECT_MS = 10_000

/** Types whose values `mysql2` parses. Values of all other types are left as bytes. */
const READ_TYPES = new Set(
  words(
    'TINY SHORT LONG INT24 LONGLONG YEAR FLOAT DOUBLE NULL',
    'DATE NEWDATE DATETIME TIMESTAMP TIME',
  ),
)

/** A value that has arrived, which can be parsed or left as bytes. */
interface RawValue {
  readonly type: string
  buffer(): Uint8Array | null
}

const configOf = (
  library: typeof Library,
  login: MysqlLogin & { readonly tls: boolean },
  connectMs: number,
  stream: unknown,
) => ({
  // A stream that is used instead of a socket.
  stream,
  socketPath: login.socket,
  host: login.host,
  port: login.port,
  user: login.user,
  password: login.password,
  database: login.database,
  // This sends the password in clear text. It is only for tokens, over TLS.
  enableCleartextPlugin: login.token !== undefined && login.tls,
  ssl: login.tls ? { verifyIdentity: true } : undefined,
  // An attacker on the network could send their own key and read the password.
  authPlugins: login.tls || login.takesKey ? {} : library.withoutKey,
  connectTimeout: Math.min(connectMs, CONNECT_MS),
  charset: 'utf8mb4',
  // The server cannot request a file, and a name before a space and a parenthesis does not call a function.
  flags: ['-LOCAL_FILES', '-IGNORE_SPACE', '-MULTI_RESULTS', '-ODBC'],
  multipleStatements: false,
  // A Worker cannot compile code at run time.
  disableEval: true,
  rowsAsArray: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  typeCast: (value: RawValue, next: () => number | string | null) =>
    READ_TYPES.has(value.type) ? next() : value.buffer(),
})
