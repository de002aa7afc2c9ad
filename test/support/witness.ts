import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Everything that a statement could change permanently. */
export interface Scene {
  /** All of it as text. The same text means the same state. */
  state(): Promise<string>
  /** Restores everything. */
  restore(): Promise<void>
  /** Starts the server again if a statement stopped it. Only a server without other users has this. */
  revive?(): Promise<void>
}

const SESSION_ENDS_MS = 500

/** Detects changes in a scene, and restores it. */
export class Witness {
  readonly #scene: Scene
  #before: string
  /** The text around the last change, before and after it. */
  difference = ''

  private constructor(scene: Scene, before: string) {
    this.#scene = scene
    this.#before = before
  }

  static async of(scene: Scene): Promise<Witness> {
    return new Witness(scene, await scene.state())
  }

  /** True if anything has changed. In that case, everything is restored. */
  async changed(): Promise<boolean> {
    let now = await this.#scene.state()
    if (now === this.#before) return false
    // State that ends with the session is not a change, and an abandoned session ends a moment later.
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

/** The number of characters to show before and after a difference. */
const AROUND = 60

function differenceOf(before: string, now: string): string {
  let at = 0
  while (before[at] === now[at]) at++
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - AROUND), at + AROUND))
  return `${around(before)} became ${around(now)}`
}

/** Files and folders in statements. */
export interface NamedFiles {
  /** A text with the existing files and the contents of folders. */
  seen(): string
  /** Removes everything that was not there before. Everything else stays, including contents of folders. */
  removeNew(): void
}

/** Files under `/tmp` in statements, which some of them would leave on a server's disk. */
export function filesNamedIn(statements: Iterable<string>): NamedFiles {
  const named = new Set([...statements].flatMap((sql) => sql.match(NAMED) ?? []))
  const paths = [...named].filter((path) => dirname(resolve(path)) === '/tmp')
  /** The earlier state of each: nothing, a file, or a folder with these entries. */
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

/** The entries of a folder, an empty list for a file, or undefined if there is neither. */
function entriesOf(path: string): readonly string[] | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found && (found.isDirectory() ? readdirSync(path) : [])
}

/** A text with the existing files among these, and the contents of folders. */
export const filesSeen = (paths: readonly string[]): string =>
  paths
    .filter((path) => existsSync(path))
    .map((path) => {
      const { size, mtimeMs } = statSync(path)
      return statSync(path).isDirectory() ? readdirSync(path).sort() : [path, size, mtimeMs]
    })
    .join('\n')
