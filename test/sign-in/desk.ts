import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Browser } from '../support/browser.ts'

/** The keys that a person types at a terminal once it shows something. */
export interface Typing {
  readonly when: string
  readonly keys: string
}

export interface Run {
  readonly env?: Readonly<Record<string, string>>
  /** The input to type, in this order. Input that ends in a line break is sent at once. */
  readonly typing?: readonly Typing[]
  /** The output that shows that the program has done its work, and can be ended. By default, it ends itself. */
  readonly until?: string
}

/** A program that has not done its work after this time has failed. */
const PATIENCE_MS = 60_000

/** More than any program prints. */
const MOST_CHARS = 2_000_000

/** The reason why programs cannot run at a terminal here, or undefined if they can. */
export const noTerminal = (): string | undefined =>
  existsSync('/proc/self/stat') &&
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'script')))
    ? undefined
    : 'there is no terminal without a person: it takes Linux, and script of util-linux'

/**
 * A person's workplace: a home folder, a terminal, and a browser that programs open. Programs see nothing
 * else on this machine, and can reach only this machine.
 */
export class Desk {
  readonly home = mkdtempSync(join(tmpdir(), 'tidegate-desk-'))
  /** The URLs that programs have opened in the browser. */
  readonly opened: string[] = []
  readonly #work = join(this.home, 'work')
  readonly #asked = join(this.home, 'asked')
  readonly #browser: Browser
  #env: Readonly<Record<string, string>>

  constructor(browser: Browser) {
    this.#browser = browser
    const bin = join(this.home, 'bin')
    for (const folder of [this.#work, bin]) mkdirSync(folder)
    const open = join(bin, 'xdg-open')
    writeFileSync(open, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${this.#asked}'\n`)
    chmodSync(open, 0o755)
    // Requests beyond this machine are refused at once.
    const nowhere = 'http://127.0.0.1:9'
    const local = '127.0.0.1,localhost'
    this.#env = {
      HOME: this.home,
      PATH: [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      BROWSER: open,
      DISPLAY: ':0',
      // Otherwise, programs would find a browser that is installed on this machine.
      ...{ XDG_DATA_DIRS: this.home, XDG_CONFIG_DIRS: this.home },
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      ...{ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: local },
      ...{ http_proxy: nowhere, https_proxy: nowhere, no_proxy: local },
    }
  }

  /** Sets the clock two hours ahead for programs that run on Node. */
  setClockOn(): void {
    const module = pathToFileURL(join(import.meta.dirname, 'later.mjs'))
    this.#env = { ...this.#env, NODE_OPTIONS: `--import=${module}` }
  }

  /** Writes a file in the home folder. */
  write(path: string, value: unknown): void {
    const file = join(this.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  }

  /** Runs a program, and returns its output. The URLs that it opens are opened in the browser. */
  async run(command: readonly string[], { env, typing, until }: Run = {}): Promise<string> {
    return this.#finish(this.#start(command, env), { typing: [...(typing ?? [])], until })
  }

  /** Like `run`, but at a terminal. */
  async runAtTerminal(command: readonly string[], run: Run = {}): Promise<string> {
    const line = `stty cols 160 rows 50; exec ${command.map(quoted).join(' ')}`
    return this.run(['script', '-qefc', line, '/dev/null'], run)
  }

  /** Deletes everything. */
  clear(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }

  #start([program = '', ...args]: readonly string[], env: Run['env']): ChildProcess {
    return spawn(program, args, {
      cwd: this.#work,
      env: { ...this.#env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  async #finish(
    child: ChildProcess,
    { typing, until }: { typing: Typing[]; until: string | undefined },
  ): Promise<string> {
    let said = ''
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk) => {
        if (said.length < MOST_CHARS) said += chunk
      })
    }
    // A program that has ended accepts no more keys.
    child.stdin!.on('error', () => {})
    let code: number | undefined
    child.once('exit', (it, signal) => {
      code = signal ? -1 : (it ?? -1)
    })
    child.once('error', (error) => {
      said += error.message
      code = -1
    })
    const end = () => endTree(child.pid)
    process.once('exit', end)
    let read = 0
    const text = () => stripVTControlCharacters(said)
    const fail = (why: string) => new Error(`${why}\n${text().trim().slice(-4_000)}`)
    try {
      for (const last = Date.now() + PATIENCE_MS; ; await sleep(50)) {
        await this.#look()
        const shown = text()
        if (until !== undefined && shown.includes(until)) return shown
        if (code === 0 && until === undefined) return shown
        if (code !== undefined) throw fail(`The program has ended with ${code}.`)
        if (Date.now() > last) throw fail('The program does not come to an end.')
        const next = typing[0]
        const at = next ? shown.indexOf(next.when, read) : -1
        if (!next || at < 0) continue
        read = at + next.when.length
        typing.shift()
        await type(child, next.keys)
      }
    } finally {
      end()
      process.off('exit', end)
    }
  }

  /** Opens the URLs that a program has asked to open. */
  async #look(): Promise<void> {
    const asked = existsSync(this.#asked) ? readFileSync(this.#asked, 'utf8').split('\n') : []
    for (const url of asked.slice(this.opened.length, -1)) {
      this.opened.push(url)
      await this.#browser.open(url)
    }
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Types as a person does. A program that redraws its screen would mistake fast keys for a paste. */
async function type(child: ChildProcess, keys: string): Promise<void> {
  if (keys.endsWith('\n')) return void child.stdin!.write(keys)
  await sleep(500)
  for (const key of keys) {
    child.stdin!.write(key)
    await sleep(20)
  }
}

/** Ends a program and all of its children, since some detach from the terminal and stay. */
function endTree(pid: number | undefined): void {
  if (pid === undefined) return
  for (const child of childrenOf(pid)) endTree(child)
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function childrenOf(pid: number): number[] {
  if (!existsSync('/proc/self/stat')) return []
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))!
      return Number(parent) === pid ? [Number(name)] : []
    } catch {
      return []
    }
  })
}
