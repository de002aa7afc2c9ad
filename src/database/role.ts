import type { Cell } from './rows.ts'

/** What the role of a database may do besides reading, and how to take it away. */
export interface RoleReport {
  /** The engine and its version, as the database tells. */
  readonly version: string
  /** Who the database takes us for, where it knows roles. */
  readonly role: string | undefined
  readonly findings: readonly Finding[]
  /** SQL that makes a role that only reads, where a finding is closed by nothing less. */
  readonly reader: readonly string[]
  /** What could not be asked, and what to do about it. */
  readonly note?: string | undefined
}

/** A statement of an operator's own, and what is known of its parameters. */
export interface Prepared {
  readonly name: string
  readonly sql: string
  readonly params: readonly {
    readonly name: string
    readonly type?: string
    readonly default?: unknown
    readonly values?: readonly unknown[] | undefined
    readonly min?: unknown
  }[]
}

/** An examination, and how the database was reached. */
export interface Reported extends RoleReport {
  /** Which tools of the operator's own cannot be prepared, and why. */
  readonly broken?: readonly string[]
  readonly elapsedMs: number
  /** Whether the way there is encrypted, where that is known. */
  readonly tls?: boolean | undefined
}

/** One thing that the role may do and need not. */
export interface Finding {
  /** As in a log: `superuser`, `write-grants`. */
  readonly kind: string
  /**
   * `high`: no setting of a session stops it, so that only the statement guard stands before it.
   * `low`: the engine's read-only session refuses it as well, or nothing is lost by it.
   */
  readonly severity: 'high' | 'low'
  readonly sentence: string
  /** What it is about: the first of them, by name. */
  readonly objects: readonly string[]
  /** How many there are in all. */
  readonly count: number
  /** SQL that closes it, for an administrator; none where only another role does. */
  readonly statements: readonly string[]
}

/** Asks a database, in its dialect. It is guarded and bounded like any other query. */
export type Ask = (sql: string) => Promise<readonly (readonly Cell[])[]>

/** Finds out what the role of a database of one dialect may do; by a driver that takes back what it began? */
export type InspectRole = (
  ask: Ask,
  by: { readonly undone?: boolean | undefined },
) => Promise<RoleReport>

/** What a kind of finding is: `high` or `low`, and a sentence. */
export type Kinds = Readonly<Record<string, readonly [Finding['severity'], string]>>

/** The findings of high severity first, then in the order of their kinds. */
export function sorted(
  kinds: Kinds,
  found: Iterable<Omit<Finding, 'severity' | 'sentence'>>,
): Finding[] {
  const order = Object.keys(kinds)
  return [...found]
    .map((it) => {
      const [severity, sentence] = kinds[it.kind]!
      return { ...it, severity, sentence }
    })
    .sort(
      (a, b) =>
        a.severity.localeCompare(b.severity) || order.indexOf(a.kind) - order.indexOf(b.kind),
    )
}

/** An examination has room of its own: it is small whatever the database, and not for a model. */
export const ROLE_LIMITS = { maxRows: 2_000, maxBytes: 1 << 20 }

/** Objects of one finding that are named. The others are only counted. */
export const MAX_OBJECTS = 20

/** What a person puts in the place of a password that nobody else shall know. */
export const PASSWORD = "'a long password of your own'"
