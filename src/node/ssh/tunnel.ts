import type { Duplex } from 'node:stream'
import { type Machine, until } from '../../database/index.ts'
import { broken, failureOf, lost, notStarted, withSentences, wrong } from './failure.ts'
import { fetchThrough } from './fetch.ts'
import { readPlaces, written } from './place.ts'
import { isTooOld, withSettings } from './settings.ts'
import { SshStream } from './stream.ts'

/** A tunnel to hosts that only an SSH server can reach. */
export interface Tunnel {
  /**
   * Connects to a host, named as the last server sees it, through an ssh process. No local port is opened. Throws
   * DatabaseError, or the signal's reason.
   */
  dial(host: string, port: number, signal: AbortSignal): Promise<Duplex>
  readonly fetch: NonNullable<Machine['fetch']>
  close(): Promise<void>
}

/** The time limit for a connection, across all servers. Drivers often have a shorter limit. */
const PATIENCE_MS = 20_000

/** Maximum number of processes that log in at once. With the usual settings, a server refuses more than ten. */
const MAX_LOGINS = 8

/**
 * The tunnel that `SSH_TUNNEL` names, with the files in `SSH_KEY`, `SSH_KNOWN_HOSTS` and `SSH_CONFIG`. Each connection
 * is a process of the system's ssh. This does not connect yet. Throws DatabaseError.
 */
export function tunnelOf(
  variables: Readonly<Record<string, string | undefined>>,
  home: string,
): Tunnel | undefined {
  const { SSH_TUNNEL: through, SSH_AUTH_SOCK: agent } = variables
  if (!through) return undefined
  const places = readPlaces(through)
  const last = places.at(-1)!
  const before = places.slice(0, -1).map(written).join(',')
  const { SSH_KEY: key, SSH_KNOWN_HOSTS: knownHosts, SSH_CONFIG: config } = variables
  const files = { key, knownHosts, config }
  const to = [
    ...(before ? ['-J', before] : []),
    ...(last.user ? ['-l', last.user] : []),
    ...(last.port ? ['-p', String(last.port)] : []),
    ...['--', last.name],
  ]
  const command = `ssh ${to.filter((it) => it !== '--').join(' ')}`
  const streams = new Set<SshStream>()
  let isClosed = false
  let isOld = false
  let logins = 0
  let waiting: (() => void)[] = []

  const turn = async (signal: AbortSignal) => {
    signal.throwIfAborted()
    while (logins >= MAX_LOGINS) {
      await until(signal, new Promise<void>((resolve) => waiting.push(resolve)))
    }
    logins++
  }
  const connect = async (target: string, signal: AbortSignal): Promise<Duplex> => {
    await turn(signal)
    const wasOld = isOld
    let isIn = false
    const loggedIn = () => {
      if (isIn) return
      isIn = true
      logins--
      const next = waiting
      waiting = []
      for (const wake of next) wake()
    }
    let stream: SshStream | undefined
    try {
      return await withSettings({ ...files, isOld: wasOld }, home, async (path) => {
        signal.throwIfAborted()
        if (isClosed) throw closed()
        // -N: a target that this ssh does not understand must not become a shell.
        const options = ['-F', path, '-o', 'LogLevel=DEBUG2', '-N', '-T', '-a', '-x', '-W', target]
        const made = new SshStream([...options, ...to], agent)
        stream = made
        streams.add(made)
        made.once('close', () => streams.delete(made))
        // A database that does not answer must not hold up other logins.
        void made.loggedIn.then(loggedIn)
        const words = await until(signal, made.opened).catch((error) => {
          throw signal.aborted ? error : notStarted(error.code)
        })
        if (words === undefined) return made
        if (isClosed) throw closed()
        if (!wasOld && isTooOld(words, path)) {
          isOld = true
          return connect(target, signal)
        }
        throw failureOf(words, { through, command, target, knownHosts })
      })
    } catch (error) {
      stream?.destroy()
      throw error
    } finally {
      loggedIn()
    }
  }
  const dial: Tunnel['dial'] = withSentences(async (host, port, signal) => {
    if (isClosed) throw closed()
    const target = targetOf(host, port)
    const time = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    return connect(target, time).catch((error) => {
      throw time.aborted && !signal.aborted ? tooSlow(target) : error
    })
  })
  const end = () => {
    for (const it of streams) it.destroy(broken())
  }
  process.once('exit', end)
  const fetch = fetchThrough(dial)
  return {
    dial,
    fetch,
    async close() {
      isClosed = true
      process.off('exit', end)
      await fetch.close()
      end()
    },
  }
}

/** A host and a port in the form for `ssh -W`. An old ssh does not accept a socket's path as a target. */
function targetOf(host: string, port: number): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (bare.includes('/')) {
    throw wrong('A socket cannot be reached through SSH. Name a host and a port in the URL.')
  }
  if (!/^[^\s\p{Cc}[\]\\,]{1,255}$/u.test(bare)) {
    throw wrong(
      'The host of the database cannot be reached through SSH: its name has characters that no host name can have.',
    )
  }
  return `[${bare}]:${port}`
}

const closed = () => lost('The SSH tunnel is closed.')

const tooSlow = (target: string) =>
  lost(`The SSH tunnel did not reach ${target} within ${PATIENCE_MS / 1000} seconds.`)
