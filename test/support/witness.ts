import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Everything that a statement could change and that would still be there after it. */
export interface Scene {
  /** All of it as a text: the same text, the same state. */
  state(): Promise<string>
  /** Puts everything back. */
  restore(): Promise<void>
  /** Starts the server anew if a statement ended it: there is one only where nobody else uses it. */
  revive?(): Promise<void>
}

const SESSION_ENDS_MS = 500

/** Sees what changes in a scene, and has it put back. */
export class Witness {
  readonly #scene: Scene
  #before: string
  /** The place where the last change shows, as it was before and is after. */
  difference = ''

  private constructor(scene: Scene, before: string) {
    this.#scene = scene
    this.#before = before
  }

  static async of(scene: Scene): Promise<Witness> {
    return new Witness(scene, await scene.state())
  }

  /** Whether anything is not as it was. Afterwards it is again. */
  async changed(): Promise<boolean> {
    let now = await this.#scene.state()
    if (now === this.#before) return false
    // What ends with a session is no change, and a session that is left ends a moment later.
    await setTimeout(SESSION_ENDS_MS)
    now = await this.#scene.state()
    if (now === this.#before) return false
    this.difference = differenceOf(this.#before, now)
    await this.#scene.revive?.()
    await this.#scene.restore()
    this.#before = await this.#scene.state()
    return true
  }
}

/** How many characters before and behind a difference are shown. */
const AROUND = 60

function differenceOf(before: string, now: string): string {
  let at = 0
  while (before[at] === now[at]) at++
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - AROUND), at + AROUND))
  return `${around(before)} became ${around(now)}`
}

/** Files and folders that statements speak of, and what of them was not there before. */
export interface NamedFiles {
  /** What there is of them, and what is in them. */
  seen(): string
  /** Removes what is there now and was not before. What was there before stays, with all that it had. */
  removeNew(): void
}

/** Files under `/tmp` that statements speak of: what some of them would leave on a server's disk. */
export function filesNamedIn(statements: Iterable<string>): NamedFiles {
  const named = new Set([...statements].flatMap((sql) => sql.match(NAMED) ?? []))
  const paths = [...named].filter((path) => dirname(resolve(path)) === '/tmp')
  /** What each was before: nothing, a file, or a folder with these entries. */
  const before = new Map(paths.map((path) => [path, entriesOf(path)]))
  return {
    seen: () => filesSeen(paths),
    removeNew() {
      for (const [path, had] of before) {
        if (had === undefined) rmSync(path, { recursive: true, force: true })
        for (const entry of had ? (entriesOf(path) ?? []) : []) {
          if (!had?.includes(entry)) rmSync(join(path, entry), { recursive: true, force: true })
        }
      }
    },
  }
}

const NAMED = /\/tmp\/[\w.-]+/g

/** What is in a folder; an empty list for a file, and nothing where there is neither. */
function entriesOf(path: string): readonly string[] | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found && (found.isDirectory() ? readdirSync(path) : [])
}

/** What there is of these files, and what is in these folders. */
export const filesSeen = (paths: readonly string[]): string =>
  paths
    .filter((path) => existsSync(path))
    .map((path) => {
      const { size, mtimeMs } = statSync(path)
      return statSync(path).isDirectory() ? readdirSync(path).sort() : [path, size, mtimeMs]
    })
    .join('\n')
