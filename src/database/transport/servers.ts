import { DatabaseError } from '../error.ts'

/** Time during which a failed server is tried last, in milliseconds. */
const AVOID_MS = 30_000

/** Reason that a server failed: it has the wrong role, or it did not respond. */
type AvoidReason = 'unwanted' | 'silent'

/** The kinds of server that a URL can request, as the values of libpq's `target_session_attrs`. */
export const TARGETS = 'any read-write read-only primary standby prefer-standby'

/** The kind of server to connect to. */
export type Target = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby'

/** A database's servers, with a record of those that failed recently. */
export class DatabaseServers<It> {
  readonly all: readonly It[]
  readonly #avoided = new Map<It, { readonly reason: AvoidReason; readonly until: number }>()

  constructor(all: readonly It[]) {
    this.all = all
  }

  /** The servers in the order in which to try them. Servers that did not respond come last. */
  inOrder(random = false): readonly It[] {
    const all = random ? shuffled(this.all) : this.all
    const of = (reason: AvoidReason | undefined) => all.filter((it) => this.avoided(it) === reason)
    return [...of(undefined), ...of('unwanted'), ...of('silent')]
  }

  /** The reason that a server is tried last. Undefined if it is not. */
  avoided(server: It): AvoidReason | undefined {
    const avoided = this.#avoided.get(server)
    return avoided && Date.now() < avoided.until ? avoided.reason : undefined
  }

  /** Moves a server to the end of the order for a while. */
  avoid(server: It, reason: AvoidReason): void {
    this.#avoided.set(server, { reason, until: Date.now() + AVOID_MS })
  }
}

/** The time for one server, so that a server that hangs leaves enough for the `others` after it. */
export const shareOf = (ms: number, others: number): number =>
  others === 0 ? ms : ms / (others + 2)

/** Picks which of two failures to report. A server without a spare connection wins, because it can accept us soon. */
export const weightier = (
  one: DatabaseError | undefined,
  other: DatabaseError,
  full: readonly string[],
): DatabaseError => (one?.code !== undefined && full.includes(one.code) ? one : other)

/** The error for a database without a server of the kind that the URL requires. */
export const noneIs = (target: Target) =>
  new DatabaseError('network', `None of the database servers is ${target} at the moment.`, {
    reason: 'server_unwanted',
    hint: 'The operator can change target_session_attrs in its URL.',
  })

const shuffled = <It>(items: readonly It[]): readonly It[] =>
  items
    .map((it) => [Math.random(), it] as const)
    .sort(([a], [b]) => a - b)
    .map(([, it]) => it)
