import type { DatabaseError } from '../error.ts'

/** How long a server that was of no use is tried last, in milliseconds. */
const AVOID_MS = 30_000

/** Why a server was of no use: it is not what is wanted, or it did not answer. */
type Reason = 'unwanted' | 'silent'

/** The servers of a database, and which of them were of no use lately. */
export class Servers<It> {
  readonly all: readonly It[]
  readonly #avoided = new Map<It, { readonly reason: Reason; readonly until: number }>()

  constructor(all: readonly It[]) {
    this.all = all
  }

  /** The servers in the order in which they are tried: those that did not answer come last. */
  inOrder(random = false): readonly It[] {
    const all = random ? shuffled(this.all) : this.all
    const of = (reason: Reason | undefined) => all.filter((it) => this.avoided(it) === reason)
    return [...of(undefined), ...of('unwanted'), ...of('silent')]
  }

  /** Why a server is tried last, if it is. */
  avoided(server: It): Reason | undefined {
    const avoided = this.#avoided.get(server)
    return avoided && Date.now() < avoided.until ? avoided.reason : undefined
  }

  /** Has a server tried last for a while. */
  avoid(server: It, reason: Reason): void {
    this.#avoided.set(server, { reason, until: Date.now() + AVOID_MS })
  }
}

/** Which failure of two servers is told: that of one with no connection to spare, which may let us in soon. */
export const weightier = (
  one: DatabaseError | undefined,
  other: DatabaseError,
  full: readonly string[],
): DatabaseError => (one?.code !== undefined && full.includes(one.code) ? one : other)

const shuffled = <It>(items: readonly It[]): readonly It[] =>
  items
    .map((it) => [Math.random(), it] as const)
    .sort(([a], [b]) => a - b)
    .map(([, it]) => it)
