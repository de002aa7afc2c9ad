import type { Cell } from './rows.ts'

/** The database role's rights apart from reading, and the ways to revoke them. */
export interface RoleReport {
  /** The engine and its version, as reported by the database. */
  readonly version: string
  /** Our role in the database, if it has roles. */
  readonly role: string | undefined
  readonly findings: readonly Finding[]
  /** SQL that creates a role that can only read, if a finding cannot be resolved without one. */
  readonly reader: readonly string[]
  /** The question that failed, and advice about it. */
  readonly note?: string | undefined
}

/** A role report, with facts about the connection. */
export interface ConnectionReport extends RoleReport {
  /** The operator's tools that cannot be prepared, each with the cause. */
  readonly broken?: readonly string[]
  readonly elapsedMs: number
  /** True if the connection is encrypted; undefined if that is not known. */
  readonly tls?: boolean | undefined
}

/** A right that the role has and does not need. */
export interface Finding {
  /** The name in logs: `superuser`, `write-grants`. */
  readonly kind: string
  /** `high`: only the guard stops it. `low`: the engine's read-only session also stops it, or it does no harm. */
  readonly severity: 'high' | 'low'
  readonly sentence: string
  /** The names of its first objects. */
  readonly objects: readonly string[]
  /** The total number of objects. */
  readonly count: number
  /** SQL that an administrator runs to revoke it; empty if only another role helps. */
  readonly statements: readonly string[]
}

/** Asks a database in its dialect. It is guarded and limited like any other query. */
export type AskRole = (sql: string) => Promise<readonly (readonly Cell[])[]>

/** Finds out what a database role can do. `rollsBack`: the driver rolls back every transaction. */
export type InspectRole = (
  ask: AskRole,
  by: { readonly rollsBack?: boolean | undefined },
) => Promise<RoleReport>

/** Each kind of finding, with its severity, `high` or `low`, and a sentence. */
export type Kinds = Readonly<Record<string, readonly [Finding['severity'], string]>>

/** Sorts findings by severity, `high` first, then in the order of their kinds. */
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

/** The limits for an inspection. Its result is small for every database, and no model reads it. */
export const ROLE_LIMITS = { maxRows: 2_000, maxBytes: 1 << 20 }

/** Maximum number of objects listed for one finding. All other objects are only counted. */
export const MAX_OBJECTS = 20

/** A placeholder in SQL for a new password that a person must choose. */
export const PASSWORD = "'a long password of your own'"
