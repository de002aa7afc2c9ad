import { DatabaseError } from '../error.ts'
import type { default as Client } from './pg.mjs'

/** Whether a login is bound to the certificate of its connection, as `channel_binding=require` has it. */
export interface Binding {
  /** Throws {@link DatabaseError} unless it was. */
  assertBound(): void
}

const PLUS = 'SCRAM-SHA-256-PLUS'

/** Has a client tell its password to no server that does not offer that, and watches what comes of it. */
export function bindingOf(client: Client): Binding {
  const { connection, password } = client
  let isOffered = false
  let isBound = false
  connection.on(
    'authenticationSASL',
    ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
      isOffered = mechanisms.includes(PLUS)
    },
  )
  connection.on('authenticationSASLFinal', () => {
    isBound = isOffered
  })
  client.password = () => {
    if (!isOffered) throw unbound()
    return password()
  }
  return {
    assertBound() {
      if (!isBound) throw unbound()
    },
  }
}

const unbound = () =>
  new DatabaseError('config', 'The database does not bind the login to its certificate.', {
    hint: `That takes TLS and ${PLUS}. The operator can take channel_binding off the URL, if it is not meant.`,
  })
