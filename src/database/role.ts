import type { Cell } from './rows.ts'

/** What the role of a database may do besides reading, and how to take it away. */
export interface RoleReport {
  /** The engine and its version, as the database tells. */
  readonly version: string
  /** The role that we have in the database, where it has roles. */
  readonly role: string | undefined
  readonly findings: readonly Finding[]
  /** SQL that makes a role that only reads, where nothing less takes a finding away. */
  readonly reader: readonly string[]
  /** What could not be asked, and what to do about it. */
  readonly note?: string | undefined
}

/** The statement of an operator's tool, and what is known of its parameters. */
export interface OperatorStatement {
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

/** A role report, and how the database was reached. */
export interface Reported extends RoleReport {
  /** Which tools of the operator cannot be prepared, and why. */
  readonly broken?: readonly string[]
  readonly elapsedMs: number
  /** Whether the connection is encrypted, where that is known. */
  readonly tls?: boolean | undefined
}

/** One thing that the role may do and does not need. */
export interface Finding {
  /** As in a log: `superuser`, `write-grants`. */
  readonly kind: string
  /**
   * `high`: no setting of a session stops it, only the guard does.
   * `low`: the engine's read-only session refuses it as well, or it does no harm.
   */
  readonly severity: 'high' | 'low'
  readonly sentence: string
  /** The names of the first objects that it is about. */
  readonly objects: readonly string[]
  /** How many there are in all. */
  readonly count: number
  /** SQL by which an administrator takes it away; none where only another role helps. */
  readonly statements: readonly string[]
}

/** Asks a database, in its dialect. It is guarded and bounded like any other query. */
export type Ask = (sql: string) => Promise<readonly (readonly Cell[])[]>

/** Finds out what the role of a database may do. `rollsBack`: the driver rolls every transaction back. */
export type InspectRole = (
  ask: Ask,
  by: { readonly rollsBack?: boolean | undefined },
) => Promise<RoleReport>

/** What a kind of finding is: `high` or `low`, and a sentence. */
export type Kinds = Readonly<Record<string, readonly [Finding['severity'], string]>>

/** The findings of high severity first, then in the order of their kinds. */
export function toFindings(
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

/** The limits of an inspection. Its answer is small on every database, and no model reads it. */
export const ROLE_LIMITS = { maxRows: 2_000, maxBytes: 1 << 20 }

/** Objects of one finding that are named. The others are only counted. */
export const MAX_OBJECTS = 20

/** Stands in SQL where a person must write a new password. */
export const PASSWORD = "'a long password of your own'"
