import { unreachable } from '../error.ts'
import { words } from '../words.ts'
import type {
  Answer,
  Connection as Client,
  ConnectionConfig,
  default as Library,
  Prepared,
} from './mysql2.mjs'
import { pipeline } from './pipeline.ts'
import { quoted } from './quote.ts'
import { runsLastPrepared, type Server, serverOf } from './read-only.ts'
import { connectFailure, failure, notEncrypted } from './tcp-error.ts'
import type { Login } from './tcp-login.ts'
import { encryptBy, type Trust } from './tcp-tls.ts'

/** What a machine of one's own adds to a connection. */
export interface OwnWay {
  /** What leads to the server, in place of a socket of our own. */
  readonly stream: unknown
  /** Undefined where the connection is not encrypted. */
  readonly trust: Trust | undefined
}

/** One connection to a MySQL server. What it does is a promise that fails with a DatabaseError. */
export class Connection {
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
    login: Login & { readonly tls: boolean },
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
      this.client.on('error', (error: unknown) => reject(connectFailure(error, this.#isOwn)))
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

  /** Takes note of the role and the database, which {@link clean} has to find as they are now. */
  note(): void {
    this.#standing = this.#stand()
  }

  /**
   * Has the server begin the session anew: no variable, lock, temporary table or statement is left. The role is left,
   * and on MariaDB what was profiled. So the one has to be as it was, and the other is emptied. Rejects where
   * something may be left.
   *
   * @param waitS how long the server then waits for what comes next
   */
  async clean(waitS: number): Promise<void> {
    // Not all servers have it.
    for (const it of UNPROFILED) this.run(it).catch(() => {})
    await new Promise<void>((resolve, reject) => {
      this.client.reset((error) => (error ? reject(error) : resolve()))
    })
    this.#prepared.clear()
    // MariaDB stays in the database, and forgets the character set of it.
    if (this.#database) this.run(`use ${quoted(this.#database)}`).catch(() => {})
    const [before, now] = await Promise.all([
      this.#standing,
      this.#stand(),
      this.run(`set session wait_timeout = ${waitS}`),
    ])
    const isAsBefore = before === undefined || before === now
    if (!this.#isOpen || !isAsBefore) throw unreachable()
    // What waited for the old one would be kept as long as the connection.
    this.#broken = Promise.withResolvers()
  }

  #standing: Promise<string> | undefined

  /** What a session has from its login, and keeps when it begins anew. Servers without roles say that there are none. */
  async #stand(): Promise<string> {
    return JSON.stringify(await this.run('select current_role(), database()').catch(() => []))
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
    this.#isOpen = false
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

/** What was profiled is forgotten, then no more is: MariaDB goes on with it in a session that begins anew. */
const UNPROFILED = ['set session profiling_history_size = 0', 'set session profiling = 0']

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
  stream: unknown,
): ConnectionConfig => ({
  stream,
  socketPath: login.socket,
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
