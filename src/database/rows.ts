import type { CatalogUse } from './catalog-use.ts'
import type { Sessions } from './sessions.ts'

/** A value bound to a placeholder. Big integers and decimals are sent as strings. */
export type Param = null | boolean | number | string

/** One value in a row. Numbers are JSON numbers if nothing is lost, otherwise strings. */
export type Cell =
  | null
  | boolean
  | number
  | string
  | readonly Cell[]
  | { readonly [key: string]: Cell }

export interface Column {
  readonly name: string
  /** The database's own name for the type: `int8`, `timestamptz`, `decimal(12,2)`. */
  readonly type: string
}

/** An engine's answer. Rows are arrays, so that two columns with the same name both survive. */
export interface Answer {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** The row that a clause such as WITH TOTALS adds below the others. */
  readonly totals?: readonly Cell[] | undefined
  /** The limit that cut the answer short, if any. */
  readonly truncated: false | 'rows' | 'bytes'
}

/** A statement's answer and the time it took. */
export interface Rows extends Answer {
  readonly elapsedMs: number
}

/** SQL text and the values of its placeholders, in order. */
export interface Statement {
  readonly sql: string
  readonly params?: readonly Param[] | undefined
  /** True for our own catalog questions: their functions, operators and types must be the system's. */
  readonly internal?: boolean | undefined
  /** True if we built it from names and values, so its author does not know its text. */
  readonly isBuilt?: boolean | undefined
  /** Set for a catalog question that can be joined with others. */
  readonly shape?: RowShape | undefined
  /**
   * The name of a catalog question whose answer can be cached for a short time. `beside` is the name of the
   * question about the same table's columns. See `schema/kept-catalog.ts`.
   */
  readonly kept?: { readonly name: string; readonly beside?: string | undefined } | undefined
  /** The table and columns that our own statement reads. Where tables are hidden, all other statements are checked. */
  readonly reads?:
    | { readonly schema: string; readonly name: string; readonly columns: readonly string[] }
    | undefined
}

/** The form of a catalog question's rows. */
export interface RowShape {
  /** The number of columns. */
  readonly width: number
  /** The positions of the columns that the rows are sorted by, counted from 0. */
  readonly order: readonly number[]
}

/**
 * The identity that a query runs as, in addition to the login. It applies to one transaction or session, and
 * to every statement in it, including Tidegate's.
 */
export interface Identity {
  /** The database role. The login must be allowed to assume it. */
  readonly role?: string | undefined
  /** The caller, as a JSON object in a string. Row-level security policies read it. */
  readonly claims?: string | undefined
}

/** The maximum estimated cost of a statement. It is checked before the statement runs. */
export interface CostLimit {
  /** In the unit of the engine's planner. */
  readonly plan?: number | undefined
  readonly rows?: number | undefined
}

/** A question asked before a statement, in its session and role, that decides whether the statement runs. */
export interface Gate {
  /** The question, made from the text of the waiting statement. It takes the same parameters. */
  of(sql: string): string
  /** Throws if the statement must not run. */
  pass(answer: Answer): void
}

/** The bounds of one query. Rows, bytes and time are always limited, and no limit comes from a model. */
export interface Limits {
  readonly maxRows: number
  /** Maximum size of the rows as JSON, in bytes. Only whole rows are left out. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** The maximum estimated cost, if it is limited. Our own catalog statements have no limit. */
  readonly cost?: CostLimit | undefined
}

/** Everything that a query gets besides its statement: its limits, its identity, and its call's shared state. */
export interface QueryContext extends Limits {
  /** The question to ask first. If left out, `cost` determines the question. */
  readonly gate?: Gate | undefined
  /** Aborts when the client stops waiting for the answer. */
  readonly signal?: AbortSignal | undefined
  /** If left out, the query runs as the login itself. */
  readonly identity?: Identity | undefined
  /** The call that it runs for, so that the database's logs can identify it. */
  readonly trace?: TraceNote | undefined
  /** The call's sessions. If left out, the query uses its own. */
  readonly sessions?: Sessions | undefined
  /** The call's use of the cached catalog. If left out, the catalog is asked again. */
  readonly catalog?: CatalogUse | undefined
}

/** Identifies a call in a database's logs. */
export interface TraceNote {
  /** The endpoint's name. */
  readonly endpoint: string
  /** In the format of W3C Trace Context. */
  readonly traceparent: string
}

/** The limits for a catalog question, which has its own row and byte limits. */
export type TimeLimits = Pick<
  QueryContext,
  'timeoutMs' | 'signal' | 'identity' | 'sessions' | 'catalog'
>
