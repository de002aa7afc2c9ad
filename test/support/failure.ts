import { expect } from 'vitest'
import { DatabaseError } from '../../src/database/error.ts'

/** A part of passwords, tokens and messages of faulty servers. No error may contain it. */
export const MARKER = 'hunter2-marker'

/** The error of some work. It must be a DatabaseError without the {@link MARKER}. */
export async function failure(work: Promise<unknown> | (() => unknown)): Promise<DatabaseError> {
  const result = async () => (typeof work === 'function' ? work() : work)
  const outcome: unknown = await result().catch((error) => error)
  if (!(outcome instanceof DatabaseError)) throw new Error('It did not fail as it should.')
  expect(`${outcome.stack}${JSON.stringify(outcome)}`).not.toContain(MARKER)
  return outcome
}
