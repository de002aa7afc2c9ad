import type { Machine } from '../../database/index.ts'
import { fetchThrough } from './fetch.ts'
import { openTunnel } from './tunnel.ts'

/** What drivers get where databases are behind an SSH server. */
export interface Tunnelled {
  readonly dial: NonNullable<Machine['dial']>
  readonly fetch: NonNullable<Machine['fetch']>
  close(): Promise<void>
}

/**
 * The way that `SSH_TUNNEL` names, by the key in `SSH_KEY` and the known hosts in `SSH_KNOWN_HOSTS`, if these are
 * set. Nothing is connected yet. Throws DatabaseError.
 */
export function tunnelled(
  variables: Readonly<Record<string, string | undefined>>,
  home: string,
): Tunnelled | undefined {
  const { SSH_TUNNEL: through, SSH_KEY: keyFile, SSH_KNOWN_HOSTS: knownHostsFile } = variables
  if (!through) return undefined
  const { dial, close } = openTunnel({ through, keyFile, knownHostsFile }, variables, home)
  const fetch = fetchThrough(dial)
  return {
    dial,
    fetch,
    async close() {
      await fetch.close()
      await close()
    },
  }
}
