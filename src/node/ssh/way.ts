import type { Duplex } from 'node:stream'
import type { Client, ClientChannel } from 'ssh2'
import { type DatabaseError, until } from '../../database/index.ts'
import { logIn } from './connection.ts'
import { lost, wrong } from './fault.ts'
import type { Here } from './here.ts'
import type { Hop } from './route.ts'

/** How long a server may take to reach a host. */
const DIAL_MS = 10_000

/** How long ending the connections may take. */
const CLOSE_MS = 1_000

/** The connections to all the servers on a way, each through the one before it. */
export class Way {
  /** Resolves once one of them has ended, and with it all of them. */
  readonly broken: Promise<void>
  readonly #hops: readonly Hop[]
  readonly #clients: Client[] = []
  #break: () => void = () => {}

  constructor(hops: readonly Hop[]) {
    this.#hops = hops
    this.broken = new Promise((resolve) => {
      this.#break = resolve
    })
    void this.broken.then(() => {
      for (const client of this.#clients) client.destroy()
    })
  }

  /** Connects. Throws DatabaseError. */
  async open(here: Here): Promise<void> {
    try {
      for (const [i, hop] of this.#hops.entries()) {
        const before = this.#clients.at(-1)
        const over =
          before && (await this.#channel(before, i - 1, hop.host, hop.port, AbortSignal.any([])))
        const client = await logIn(hop, here, over)
        client.on('close', this.#break)
        this.#clients.push(client)
      }
    } catch (error) {
      this.#break()
      throw error
    }
  }

  /** Connects to what the last server reaches. Throws DatabaseError, or the reason of the signal. */
  async dial(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const last = this.#hops.length - 1
    return this.#channel(this.#clients[last]!, last, host, port, signal)
  }

  /** Ends the connections, politely if the servers let it. */
  async close(): Promise<void> {
    this.#clients.at(-1)?.end()
    await until(AbortSignal.timeout(CLOSE_MS), this.broken).catch(() => {})
    this.#break()
  }

  async #channel(client: Client, i: number, host: string, port: number, signal: AbortSignal) {
    const server = this.#hops[i]!.host
    const target = isPath(host) ? host : `${host}:${port}`
    const time = AbortSignal.timeout(DIAL_MS)
    const opened = new Promise<ClientChannel>((resolve, reject) => {
      const tell = (error: Refusal | undefined, channel: ClientChannel) =>
        error ? reject(failure(error, server, target)) : resolve(channel)
      try {
        if (isPath(host)) client.openssh_forwardOutStreamLocal(host, tell)
        else client.forwardOut('127.0.0.1', 0, bare(host), port, tell)
      } catch {
        reject(gone(server))
      }
    })
    try {
      return asSocket(await until(AbortSignal.any([signal, time]), opened))
    } catch (error) {
      // It may still be opened, for nobody.
      opened.then((channel) => channel.destroy()).catch(() => {})
      throw time.aborted && !signal.aborted ? tooSlow(server, target) : error
    }
  }
}

const isPath = (host: string) => host.startsWith('/')

/** An IPv6 address without the brackets that it has in a URL. */
const bare = (host: string) => host.replace(/^\[(.*)\]$/, '$1')

/** What libraries ask of a socket, and a channel has not: it needs none of it. */
function asSocket(channel: ClientChannel): Duplex {
  const nothing = () => channel
  return Object.assign(channel, {
    setNoDelay: nothing,
    setKeepAlive: nothing,
    setTimeout: nothing,
    ref: nothing,
    unref: nothing,
  })
}

interface Refusal extends Error {
  readonly reason?: number | string
}

/** What a server says when it opens no channel (RFC 4254, section 5.1). Its words are its own. */
function failure({ reason }: Refusal, server: string, target: string): DatabaseError {
  switch (reason) {
    case 1:
      return wrong(
        `The SSH server ${server} lets nobody through to ${target}.`,
        'Whoever runs it can allow it: AllowTcpForwarding, PermitOpen and DisableForwarding in sshd_config, or restrict, no-port-forwarding and permitopen in authorized_keys.',
      )
    case 2:
      return lost(
        `The SSH server ${server} cannot reach ${target}.`,
        'The host of the URL is looked up there, not here. Look whether the database listens on it.',
      )
    case 3:
      return wrong(`The SSH server ${server} does not lead to ${target}: it knows no such way.`)
    case 4:
      return lost(`The SSH server ${server} has too much to do. Try again later.`)
    default:
      return gone(server)
  }
}

const gone = (server: string) => lost(`The connection to the SSH server ${server} broke.`)

const tooSlow = (server: string, target: string) =>
  lost(`The SSH server ${server} did not reach ${target} within ${DIAL_MS / 1000} seconds.`)
