import { DatabaseError } from '../error.ts'
import type { Variables } from './read-only.ts'
import type { Target } from './tcp-parameters.ts'

/** Why there is no answer: the server is not the one that the URL wants. */
export const unwanted = Symbol('unwanted')

/**
 * Whether a server is what the URL wants. A replica does not take writes, by `read_only`, or on Aurora by
 * `innodb_read_only`. Throws {@link DatabaseError} for a server that does not say.
 */
export function isWanted(target: Target, variables: Variables): boolean {
  if (target === 'any') return true
  const values = variables.filter(([it]) => /^(?:innodb_)?read_only$/.test(it))
  if (values.length === 0) {
    throw new DatabaseError(
      'config',
      'The server does not say whether it takes writes, which target_session_attrs asks for.',
    )
  }
  const isReplica = values.some(([, value]) => !/^(?:off|0)$/i.test(value))
  return isReplica === !['primary', 'read-write'].includes(target)
}

/** The error for a database of which no server is what the URL wants. */
export const noneIs = (target: Target) =>
  new DatabaseError('network', `None of the servers of the database is ${target} at the moment.`, {
    hint: 'The operator can change target_session_attrs in its URL.',
  })
