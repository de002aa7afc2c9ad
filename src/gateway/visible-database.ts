import { type Database, type Guardian, visible } from '../database/index.ts'
import type { Restriction } from './endpoint.ts'

/** A database of which a group sees only some tables and columns. */
export interface Restricted<Found> {
  /** Whether a model may write SQL for it; if left out, it may. */
  readonly takesSql?: boolean | undefined
  /** The same for statements of the operator's own, which may read what is hidden. */
  readonly forOperator?: Found | undefined
}

/** The same database with only the tables and columns that a group may see, if it is restricted. */
export function visibleDatabase<
  Given extends unknown[],
  Found extends {
    readonly tellsTables?: boolean | undefined
    open(...given: Given): Promise<Database>
  },
>(database: Found, only: Restriction | undefined): Found & Restricted<Found> {
  if (!only) return database
  const guardedBy = (guardian: Guardian): Found => ({
    ...database,
    open: async (...given: Given) => visible(await database.open(...given), only, guardian),
  })
  return {
    ...guardedBy(only.guardian),
    forOperator: guardedBy('operator'),
    takesSql: only.guardian === 'engine' || database.tellsTables === true,
  }
}
