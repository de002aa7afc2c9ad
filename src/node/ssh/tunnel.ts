import type { Duplex } from 'node:stream'
import { until } from '../../database/index.ts'
import { lost } from './fault.ts'
import { here as onThisMachine } from './here.ts'
import { readPlaces } from './place.ts'
import { routeOf, type TunnelOptions } from './route.ts'

import { Way } from './way.ts'

/** A way to hosts that only an SSH server reaches. */
export interface Tunnel {
  /**
   * Connects to a host as the last server on the way sees it, or to a socket there, where the host is a path. No port
   * is opened here. Throws DatabaseError, or the reason of the signal.
   */
  dial(host: string, port: number, signal: AbortSignal): Promise<Duplex>
  /** Ends all that goes through it. */
  close(): Promise<void>
}

/** How long whoever dials waits for the way, however many servers are on it. */
const PATIENCE_MS = 20_000

/**
 * Makes a tunnel without connecting: the first that dials connects, and whoever finds the connection broken connects
 * again. Reads `SSH_AUTH_SOCK`, `SSH_KEY_PASSPHRASE` and `SSH_PASSWORD` of the variables. Throws DatabaseError.
 */
export function openTunnel(
  options: TunnelOptions,
  variables: Readonly<Record<string, string | undefined>>,
  home: string,
): Tunnel {
  readPlaces(options.through)
  const here = onThisMachine(variables, home)
  let way: Promise<Way> | undefined
  let isClosed = false

  const connected = () => {
    if (isClosed) throw lost('The SSH tunnel is closed.')
    if (way) return way
    const opening = connect()
    // The next one that dials tries anew.
    const forget = () => {
      if (way === opening) way = undefined
    }
    opening.then(({ broken }) => broken.then(forget), forget)
    way = opening
    return opening
  }
  const connect = async () => {
    const opened = new Way(await routeOf(options, here))
    await opened.open(here)
    return opened
  }

  return {
    async dial(host, port, signal) {
      signal.throwIfAborted()
      const time = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      const found = await until(time, connected()).catch((error: unknown) => {
        throw time.aborted && !signal.aborted ? tooSlow() : error
      })
      return found.dial(host, port, signal)
    },
    async close() {
      isClosed = true
      const opened = await way?.catch(() => undefined)
      await opened?.close()
    },
  }
}

const tooSlow = () => lost(`The SSH tunnel took more than ${PATIENCE_MS / 1000} seconds to open.`)
