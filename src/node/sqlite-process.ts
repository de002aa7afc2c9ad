import { type ChildProcess, fork } from 'node:child_process'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { type Answer, DatabaseError } from '../database/index.ts'
import type { Poolable } from '../database/on-node.ts'
import type { Question, ReaderReply } from './sqlite/read.ts'

/** The path goes through `node/`, which exists in src/ and in a build, whichever build folder this file is in. */
const PROGRAM = join(import.meta.dirname, `../node/sqlite-child${extname(import.meta.filename)}`)

/** The environment variables that a program needs to start. None of them is secret. */
const PASSED = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'ELECTRON_RUN_AS_NODE']

/** A process that reads a SQLite file, one question at a time. */
export class SqliteProcess implements Poolable {
  readonly #child: ChildProcess
  #isOver = false
  #wasAsked = false

  constructor() {
    const passed = Object.entries(process.env).filter(([name]) => PASSED.includes(name))
    this.#child = fork(PROGRAM, {
      // The child watches its standard input for the end of this process.
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
      env: { ...Object.fromEntries(passed), SQLITE_TMPDIR: tmpdir() },
      execArgv: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=96'],
      // Not the current folder, so that it can be removed while the child runs.
      cwd: tmpdir(),
      windowsHide: true,
    })
    this.#child.once('exit', () => {
      this.#isOver = true
    })
    this.#child.on('error', () => this.#kill())
    ;(this.#child.stdin as { unref?(): void } | null)?.unref?.()
    this.#child.stdin?.on('error', () => {})
    this.#rest()
  }

  get isOpen(): boolean {
    return !this.#isOver
  }

  /**
   * Sends a question. If the signal aborts first, the process ends, and this throws the reason. Resolves with undefined
   * if the process had ended since the last question, so another one has to be used. Throws DatabaseError.
   */
  async ask(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const child = this.#child
    const { promise, resolve, reject } = Promise.withResolvers<ReaderMessage | undefined>()
    let hasBegun = !this.#wasAsked
    this.#wasAsked = true
    const take = (reply: ReaderReply) => {
      if (reply === 'begun') hasBegun = true
      else resolve(reply)
    }
    const stop = () => {
      this.#kill()
      reject(signal.reason)
    }
    const ended = () => {
      this.#isOver = true
      if (hasBegun) reject(crashed())
      else resolve(undefined)
    }
    child.on('message', take)
    child.once('exit', ended)
    child.once('error', ended)
    signal.addEventListener('abort', stop, { once: true })
    child.ref()
    child.channel?.ref()
    try {
      if (signal.aborted) stop()
      else child.send(question, (error) => error && ended())
      const reply = await promise
      if (!reply) return undefined
      if ('answer' in reply) return reply.answer
      const { kind, message, ...details } = reply.error
      throw new DatabaseError(kind, message, details)
    } finally {
      signal.removeEventListener('abort', stop)
      child.off('message', take)
      child.off('exit', ended)
      child.off('error', ended)
      this.#rest()
    }
  }

  async end(): Promise<void> {
    this.#kill()
  }

  /** Only a question keeps this process alive. */
  hold(): void {}

  #kill(): void {
    this.#isOver = true
    this.#child.kill('SIGKILL')
  }

  /** Between two questions, the child does not keep this process from ending. */
  #rest(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}

type ReaderMessage = Exclude<ReaderReply, 'begun'>

const crashed = () =>
  new DatabaseError('too_large', 'The process that ran this statement ended before it answered.', {
    hint: 'If this happens again, an intermediate value may be too large, or the file may be damaged.',
  })
