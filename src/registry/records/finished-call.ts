import type { RanStatement } from '../../gateway/index.ts'
import type { Client } from '../../mcp/index.ts'
import type { Outcome } from './record.ts'

/** A call that is over, before its record is written. */
export interface FinishedCall {
  readonly id: string
  readonly time: number
  readonly caller: string | undefined
  readonly client: Client | undefined
  readonly tool: unknown
  readonly statements: readonly RanStatement[]
  readonly rows: number
  readonly bytes: number
  readonly milliseconds: number
  readonly outcome: Outcome
  readonly code: string | undefined
  readonly traceId: string | undefined
  /** Whether its endpoint kept the values of statements when it ran. */
  readonly keepsLiterals: boolean
  calls?: number
}
