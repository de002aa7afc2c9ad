/** Rows and bytes that databases returned on one day, of UTC: `2026-01-31`. */
export interface DayUse {
  readonly day: string
  readonly rows: number
  readonly bytes: number
}

/** What is used of a meter at the moment. */
export interface Use extends DayUse {
  /** Queries that run at once. */
  readonly running: number
}

/** A place among the queries that run at once. It ends by itself, in case nobody ends it. */
export interface Lease {
  readonly id: string
  readonly milliseconds: number
  /** How many there may be. */
  readonly most: number
}

/** What calls used, and the leases that they end. */
export interface Spent {
  readonly rows: number
  readonly bytes: number
  readonly leases: readonly string[]
}

/** The day of a time. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The names of the meters of an endpoint, and of a caller at it. */
export const endpointMeter = (endpoint: string) => endpoint
export const callerMeter = (endpoint: string, key: string) => `${endpoint} ${key}`
