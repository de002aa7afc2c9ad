import { badConfig, DatabaseError, unreachable } from '../error.ts'

/**
 * The error for a database that a machine cannot reach, by the operating system's error code. Undefined for other
 * codes.
 *
 * @param code such as `ECONNREFUSED`
 */
export function notReached(code: string): DatabaseError | undefined {
  if (code === 'EMFILE' || code === 'ENFILE') return noDescriptor()
  const why = REASONS[code]
  if (why === undefined) return undefined
  return new DatabaseError('network', `The database cannot be reached: ${why}.`, {
    hint: 'If it is running, correct the host and the port in its URL.',
  })
}

const noDescriptor = () =>
  new DatabaseError('network', 'This machine has no free file descriptor for a connection.', {
    reason: 'no_descriptor',
    hint: 'The operator can raise the limit on open files (ulimit -n), and restart Tidegate.',
  })

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening at its host and port',
  ENOTFOUND: 'there is no host with this name',
  EAI_AGAIN: 'the name of its host cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its host',
  ENOENT: 'there is no socket at its path',
  EACCES: 'this user is not allowed to open its socket',
}

/** The error for a tunnel that could not be opened. */
export const notDialed = (error: { readonly code?: string } | undefined) =>
  error instanceof DatabaseError ? error : (notReached(error?.code ?? '') ?? unreachable())

/** The error for a server without encryption. `without` is the URL parameter that turns encryption off. */
export const notEncrypted = (without: string) =>
  badConfig('The database does not support TLS.', {
    reason: 'not_encrypted',
    hint: `The operator can turn on TLS in the database, or add ${without} to its URL.`,
  })

/** True if an error means that the server does not support encryption. */
export const refusesTls = (error: unknown) =>
  error instanceof DatabaseError && error.reason === 'not_encrypted'

/** The error for a certificate that cannot be trusted. `ownHint` replaces the hint for Workers. */
export const notTrusted = (isOwnMachine: boolean, ownHint?: string) =>
  badConfig('The database certificate cannot be trusted for its host.', {
    reason: 'certificate_untrusted',
    hint: isOwnMachine
      ? ownHint
      : 'The operator can connect through Hyperdrive, which accepts a private CA.',
  })
