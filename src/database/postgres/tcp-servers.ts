import type { Access, Login } from './tcp-login.ts'

/** How long a server that was of no use is tried last. */
const AVOID_MS = 30_000

/** The servers of a database, and which of them were of no use lately. */
export class Servers {
  readonly access: Access
  /** Until when they are tried last. */
  readonly #avoided = new Map<Login, number>()

  constructor(access: Access) {
    this.access = access
  }

  /** The servers in the order in which they are tried. */
  inOrder(): readonly Login[] {
    const { logins, random } = this.access
    const all = random ? shuffled(logins) : logins
    const now = Date.now()
    const isAvoided = (it: Login) => now < (this.#avoided.get(it) ?? 0)
    return [...all.filter((it) => !isAvoided(it)), ...all.filter(isAvoided)]
  }

  /** Has a server tried last for a while: it did not answer, or is not what is wanted. */
  avoid(login: Login): void {
    this.#avoided.set(login, Date.now() + AVOID_MS)
  }
}

const shuffled = <It>(items: readonly It[]): readonly It[] =>
  items
    .map((it) => [Math.random(), it] as const)
    .sort(([a], [b]) => a - b)
    .map(([, it]) => it)
