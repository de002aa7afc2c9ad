import { DatabaseError } from './database.ts'

/** The error for a query that ran into its time limit. */
export const tooSlow = (timeoutMs: number, code?: string) =>
  new DatabaseError('timeout', `The query was stopped after ${timeoutMs / 1000} seconds.`, {
    code,
    hint: 'Ask for less: filter on indexed columns, aggregate, or take fewer joins.',
  })

/** The error for a query whose caller has left. */
export const leftAlone = () => new DatabaseError('timeout', 'The query was stopped: nobody waits.')

/** The error for a database that nothing came back from. */
export const unreachable = () =>
  new DatabaseError('network', 'The database cannot be reached. Try again later.')

/** What helps where a placeholder has no value, or is not of a form that takes one. */
export const UNBOUND = 'For a value write $1, for the next $2, and send them in params.'
