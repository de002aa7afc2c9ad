import type { CatalogUse } from './catalog-use.ts'
import type { Sessions } from './sessions.ts'

/** A value bound to a placeholder. Big integers and decimals travel as strings. */
export type Param = null | boolean | number | string

/** One value of a row: a JSON number only where nothing is lost, else a string. */
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

/** What an engine returned. Rows are arrays, so that two columns of one name both survive. */
export interface Answer {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
  /** What a clause such as WITH TOTALS adds below the rows. */
  readonly totals?: readonly Cell[] | undefined
  /** Which cap cut the answer short, if one did. */
  readonly truncated: false | 'rows' | 'bytes'
}

/** What a statement returned, and how long that took. */
export interface Rows extends Answer {
  readonly elapsedMs: number
}

/** SQL text and the values of its placeholders, in order. */
export interface Statement {
  readonly sql: string
  readonly params?: readonly Param[] | undefined
  /**
   * Whether it is one of Tidegate's questions to the catalog. Its functions, operators and types must
   * be the system's, even if others of the same name are in the role's search path.
   */
  readonly internal?: boolean | undefined
  /** Set for a question to the catalog that can be joined with others. */
  readonly shape?: Shape | undefined
  /**
   * The name of a question to the catalog whose answer may be kept for a short time; `beside` names the one
   * about the columns of its table. See `schema/kept-catalog.ts`.
   */
  readonly kept?: { readonly name: string; readonly beside?: string | undefined } | undefined
  /**
   * The one table that a statement of ours reads, and its columns. A database that shows only some of its
   * tables runs no other statement unread.
   */
  readonly reads?:
    | { readonly schema: string; readonly name: string; readonly columns: readonly string[] }
    | undefined
}

/** What the rows of a question to the catalog look like. */
export interface Shape {
  /** How many columns they have. */
  readonly width: number
  /** The places of the columns by which they are ordered, the first being 0. */
  readonly order: readonly number[]
}

/**
 * Whom a query runs as, besides the login. It holds for one transaction or session, and for every
 * statement in it, also those of Tidegate.
 */
export interface Identity {
  /** The database role. It must be one that the login may become. */
  readonly role?: string | undefined
  /** Who asks, as the text of a JSON object. Policies of row-level security read it. */
  readonly claims?: string | undefined
}

/** What an engine may estimate a statement to cost, before it runs. */
export interface CostLimit {
  /** In the unit of the engine's planner. */
  readonly plan?: number | undefined
  readonly rows?: number | undefined
}

/** What is asked before a statement, in the same session and as the same role. It decides whether that one runs. */
export interface Gate {
  /** What is asked, made of the text of the statement that waits. It takes the same parameters. */
  of(sql: string): string
  /** Throws, if the statement may not run. */
  pass(answer: Answer): void
}

/** The bounds of one query. It has all of them: none is optional, and none comes from a model. */
export interface Limits {
  readonly maxRows: number
  /** Bytes of the rows as JSON. Only whole rows are left out. */
  readonly maxBytes: number
  readonly timeoutMs: number
  /** What it may be estimated to cost. Left out, nothing is estimated. Statements of our own to the catalog may cost anything. */
  readonly cost?: CostLimit | undefined
  /** What is asked first. Left out, it is what `cost` needs. */
  readonly gate?: Gate | undefined
  /** Aborts when the client no longer waits for the answer. */
  readonly signal?: AbortSignal | undefined
  /** Left out, it runs as the login alone. */
  readonly identity?: Identity | undefined
  /** For which call it runs, so that the logs of the database can say so. */
  readonly trace?: TraceNote | undefined
  /** Where the call keeps its sessions. Left out, the query has one of its own. */
  readonly sessions?: Sessions | undefined
  /** How the call uses what is kept of the catalog. Left out, the catalog is asked anew. */
  readonly catalog?: CatalogUse | undefined
}

/** Names a call in the logs of a database. */
export interface TraceNote {
  /** The name of an endpoint. */
  readonly endpoint: string
  /** As W3C Trace Context writes it. */
  readonly traceparent: string
}

/** The limits of a question to the catalog, which has row and byte caps of its own. */
export type TimeLimits = Pick<Limits, 'timeoutMs' | 'signal' | 'identity' | 'sessions' | 'catalog'>
