import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { Duplex } from 'node:stream'
import { broken } from './failure.ts'

/** Maximum number of characters to keep from ssh's output. The reason for a failure comes last. */
const MAX_CHARACTERS = 16_384

/** The time for reading ssh's output after ssh has ended. A program that it started can hold the pipe open. */
const WORDS_MS = 200

/** The DEBUG2 line that reports that the server has connected to the database. */
const CONNECTED = /^debug2: channel 0: open confirm /m

/** The line that reports that the last server has accepted the login. Jump hosts print less. */
const LOGGED_IN = /^Authenticated to /m

/** Variables that can contain a secret. ssh needs none of them. */
const SECRET = /(?:KEY|SECRET|PASSWORD|PASSPHRASE|TOKEN|URL)$|^ENDPOINTS/i

/** An `ssh -W` process, whose input and output are the connection. It ends when the stream does. */
export class SshStream extends Duplex {
  /** Resolves when the server has connected to the database, or with ssh's output if ssh ended first. */
  readonly opened: Promise<string | undefined>
  readonly loggedIn: Promise<void>
  readonly #child: ChildProcessWithoutNullStreams

  constructor(args: readonly string[], agent: string | undefined) {
    super({ allowHalfOpen: false })
    const plain = Object.entries(process.env).filter(([name]) => !SECRET.test(name))
    const child = spawn('ssh', args, {
      env: { ...Object.fromEntries(plain), SSH_AUTH_SOCK: agent },
      // Windows looks for programs in the current folder first, and a stranger could have written to that folder.
      cwd: dirname(process.execPath),
      // Its own process group, so that its children end with it. It has no terminal for prompts.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    this.#child = child
    let words = ''
    let isOpen = false
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
    this.opened = promise
    child.once('error', reject)
    const login = Promise.withResolvers<void>()
    this.loggedIn = login.promise
    promise.then(
      () => login.resolve(),
      () => login.resolve(),
    )
    // Without a free file descriptor there are no pipes, and `error` follows.
    if (!child.stderr) return
    child.stderr.setEncoding('latin1').on('data', (text: string) => {
      if (isOpen) return
      words = `${words}${text}`.slice(-MAX_CHARACTERS)
      if (LOGGED_IN.test(words)) login.resolve()
      isOpen = CONNECTED.test(words)
      if (isOpen) resolve(undefined)
    })
    child.once('exit', () => setTimeout(() => child.stderr.destroy(), WORDS_MS))
    child.once('close', (code) => {
      resolve(words)
      if (code === 0) this.push(null)
      else this.destroy(broken())
    })
    child.stdout.on('data', (piece) => {
      if (!this.push(piece)) child.stdout.pause()
    })
    child.stdout.once('end', () => child.stdin.end())
    child.stdin.on('error', () => {})
    // Drivers add a listener only after they get the stream.
    this.on('error', () => {})
  }

  override _read(): void {
    this.#child.stdout.resume()
  }

  override _write(piece: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    this.#child.stdin.write(piece, (error) => done(error ? broken() : undefined))
  }

  override _final(done: () => void): void {
    this.#child.stdin.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) {
      if (process.platform === 'win32') this.#child.kill()
      else process.kill(-pid, 'SIGKILL')
    }
    done(error)
  }

  // Libraries call these on a socket. A process does not need them.
  setNoDelay = () => this
  setKeepAlive = () => this
  setTimeout = () => this
  ref = () => this
  unref = () => this
}
