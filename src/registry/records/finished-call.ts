import type { RanStatement } from '../../gateway/index.ts'
import type { Client } from '../../mcp/index.ts'
import type { RecordOutcome } from './record.ts'

/** The facts about a call that is over. */
export interface EndedCall {
  readonly time: number
  readonly caller: string | undefined
  readonly client: Client | undefined
  readonly tool: unknown
  readonly statements: readonly RanStatement[]
  readonly rows: number
  readonly bytes: number
  readonly milliseconds: number
  readonly outcome: RecordOutcome
  readonly code: string | undefined
  readonly traceId: string | undefined
}

/** The same, while it waits for its record to be written. */
export interface FinishedCall extends EndedCall {
  readonly id: string
  /** True if its endpoint stored the values of statements when it ran. */
  readonly keepsLiterals: boolean
  calls?: number
}
