import { expect } from 'vitest'
import { DatabaseError } from '../../src/database/error.ts'

/** Stands in passwords, tokens and all that a broken server says. No error may show it. */
export const MARKER = 'hunter2-marker'

/** The error with which a work fails, which must be one for the model and hold no {@link MARKER}. */
export async function failure(work: Promise<unknown> | (() => unknown)): Promise<DatabaseError> {
  const result = async () => (typeof work === 'function' ? work() : work)
  const outcome: unknown = await result().catch((error) => error)
  if (!(outcome instanceof DatabaseError)) throw new Error('It did not fail as it should.')
  expect(`${outcome.stack}${JSON.stringify(outcome)}`).not.toContain(MARKER)
  return outcome
}
