import { existsSync, readdirSync, statSync } from 'node:fs'

/** Everything that a statement could change and that would still be there after it. */
export interface Scene {
  /** All of it as a text: the same text, the same state. */
  state(): Promise<string>
  /** Puts everything back. */
  restore(): Promise<void>
}

/** Sees what changes in a scene, and has it put back. */
export class Witness {
  readonly #scene: Scene
  #before: string

  private constructor(scene: Scene, before: string) {
    this.#scene = scene
    this.#before = before
  }

  static async of(scene: Scene): Promise<Witness> {
    return new Witness(scene, await scene.state())
  }

  /** Whether anything is not as it was. Afterwards it is again. */
  async changed(): Promise<boolean> {
    if ((await this.#scene.state()) === this.#before) return false
    await this.#scene.restore()
    this.#before = await this.#scene.state()
    return true
  }
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
