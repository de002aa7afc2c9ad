import { DatabaseError } from '../error.ts'

/**
 * Why a machine does not reach a database, by the code that its system gives. Undefined for other codes.
 *
 * @param code `ECONNREFUSED`
 */
export function notReached(code: string): DatabaseError | undefined {
  const why = REASONS[code]
  if (why === undefined) return undefined
  return new DatabaseError('network', `The database cannot be reached: ${why}.`, {
    hint: 'If it is running, the host and the port of its URL have to be mended.',
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its host and port',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of its host cannot be looked up at the moment',
  EHOSTUNREACH: 'no way leads to its host',
  ENETUNREACH: 'no way leads to its host',
  ENOENT: 'there is no socket at its path',
  EACCES: 'this user has no right to its socket',
}
