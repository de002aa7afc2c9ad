import { networkOf } from '../../ground/index.ts'
import type { Caller } from '../../mcp/index.ts'

/** Rows and bytes that databases returned on one day in UTC, such as `2026-01-31`. */
export interface DayUse {
  readonly day: string
  readonly rows: number
  readonly bytes: number
}

/** Current usage of a meter. */
export interface Use extends DayUse {
  /** Number of queries that are running. */
  readonly running: number
}

/** A slot for a running query. It expires, in case nobody returns it. */
export interface Lease {
  readonly id: string
  readonly milliseconds: number
  /** Maximum number of leases at once. */
  readonly most: number
}

/** Usage by calls, and the leases that end with them. */
export interface Spent {
  readonly rows: number
  readonly bytes: number
  readonly leases: readonly string[]
}

/** The day that a time is on. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The names of the meters for an endpoint, and for a caller there. */
export const endpointMeter = (endpoint: string) => endpoint
export const callerMeter = (endpoint: string, key: string) => `${endpoint} ${key}`

/** The name under which a caller's usage is counted. Callers without a key are identified by their address. */
export const callerKey = (caller: Caller | undefined, address: string | undefined): string =>
  caller ? `caller ${caller.subject}` : `address ${networkOf(address ?? '')}`
