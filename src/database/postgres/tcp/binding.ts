import { badConfig } from '../../error.ts'
import type { default as Client } from '../pg.mjs'

/** Checks that a login is bound to its connection's certificate, for `channel_binding=require`. */
export interface Binding {
  /** Throws {@link DatabaseError} unless the login was bound. */
  assertBound(): void
}

const PLUS = 'SCRAM-SHA-256-PLUS'

/** Makes a client send its password only to a server that offers channel binding, and records the result. */
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
  badConfig('The database does not bind the login to its certificate.', {
    reason: 'tls_failed',
    hint: `That requires TLS and ${PLUS}. The operator can remove channel_binding from the URL if it is not intended.`,
  })
