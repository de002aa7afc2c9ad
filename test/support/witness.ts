import { existsSync, readdirSync, statSync } from 'node:fs'
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

/** Files under `/tmp` that statements speak of: what some of them would leave on a server's disk. */
export const filesNamedIn = (statements: Iterable<string>): readonly string[] => [
  ...new Set([...statements].flatMap((sql) => sql.match(/\/tmp\/[\w.-]+/g) ?? [])),
]

/** What there is of these files, and what is in these folders. */
export const filesSeen = (paths: readonly string[]): string =>
  paths
    .filter((path) => existsSync(path))
    .map((path) => {
      const { size, mtimeMs } = statSync(path)
      return statSync(path).isDirectory() ? readdirSync(path).sort() : [path, size, mtimeMs]
    })
    .join('\n')
