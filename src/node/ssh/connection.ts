import type { Duplex } from 'node:stream'
import type { Client, ServerHostKeyAlgorithm } from 'ssh2'
import type { DatabaseError } from '../../database/index.ts'
import { type Credentials, credentialsFor } from './credentials.ts'
import { lost, wrong } from './fault.ts'
import type { Here } from './here.ts'
import { fingerprint, judge, knownTypes, typeOf } from './known-hosts.ts'
import type { Hop } from './route.ts'

/** How long to wait until a server has let us in. */
const CONNECT_MS = 10_000

/** How often to look whether a server is still there, and how many times it may be silent. */
const ALIVE_MS = 15_000
const MAX_SILENCES = 3

/** The algorithms by which a server may prove its key, by the kind of the key. None of them uses SHA-1. */
const ALGORITHMS: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
}

/** Logs in to a server, over a stream that leads there if there is one. Throws DatabaseError. */
export async function logIn(hop: Hop, here: Here, over: Duplex | undefined): Promise<Client> {
  const { default: ssh2 } = await import('ssh2')
  const credentials = await credentialsFor(hop, here, ssh2)
  const left = [...credentials.methods]
  const types = [...new Set([...knownTypes(hop.known), ...Object.keys(ALGORITHMS)])]
  let refusal: DatabaseError | undefined
  const client = new ssh2.Client()
  const ready = new Promise<void>((resolve, reject) => {
    client.on('ready', resolve)
    client.on('error', (error: Fault) => {
      // An agent that does not answer is one way less. The others are still tried.
      if (error.level !== 'agent') reject(refusal ?? failure(error, hop, credentials))
    })
    client.on('close', () => reject(lost(`The SSH server ${hop.host} closed the connection.`)))
  })
  client.connect({
    ...(over ? { sock: over } : { host: hop.host, port: hop.port }),
    username: hop.user,
    readyTimeout: CONNECT_MS,
    keepaliveInterval: ALIVE_MS,
    keepaliveCountMax: MAX_SILENCES,
    algorithms: { serverHostKey: types.flatMap((it) => ALGORITHMS[it] ?? []) },
    hostVerifier: (key: Buffer) => {
      refusal = doubt(hop, key)
      return refusal === undefined
    },
    authHandler: (methods, _partial, next) => {
      const isTaken = (it: string) =>
        (methods as readonly string[] | null)?.includes(it === 'agent' ? 'publickey' : it) ?? true
      let method = left.shift()
      while (method && !isTaken(method.type)) method = left.shift()
      next(method ?? (false as never))
    },
  })
  // Questions to a database are small, and each waits for its answer.
  client.setNoDelay(true)
  try {
    await ready
    return client
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** Why the key that a server shows is not taken. There is no trust on first use. */
function doubt({ known, host, port, user }: Hop, key: Buffer): DatabaseError | undefined {
  const shown = `${typeOf(key)} ${fingerprint(key)}`
  const scan = `ssh-keyscan ${port === 22 ? '' : `-p ${port} `}${host}`
  const once = `ssh ${port === 22 ? '' : `-p ${port} `}${user}@${host}`
  const verdict = judge(known, key)
  switch (verdict.is) {
    case 'known':
      return undefined
    case 'unknown':
      return wrong(
        `The SSH server ${host} is not among the known hosts. It shows the key ${shown}.`,
        `Ask whoever runs it whether this is its key. If so, connect once with ${once}, or add what ${scan} prints to ~/.ssh/known_hosts.`,
      )
    case 'authority':
      return wrong(
        `The SSH server ${host} is known by an authority only (${verdict.place}), and Tidegate verifies no certificates of SSH. It shows the key ${shown}.`,
        `Ask whoever runs it whether this is its key. If so, add what ${scan} prints to ~/.ssh/known_hosts.`,
      )
    case 'revoked':
      return wrong(
        `The SSH server ${host} shows a key that is revoked (${verdict.place}): ${shown}. Nothing was sent to it.`,
        'Whoever has the key may stand in for the server. Ask whoever runs it.',
      )
    case 'changed':
      return wrong(
        `THE KEY OF THE SSH SERVER ${host} IS ANOTHER ONE than the one in ${verdict.place}. Somebody may stand between. It shows ${shown}. Nothing was sent to it.`,
        `Ask whoever runs it whether its key was changed. Only if so, remove the old one: ssh-keygen -R ${port === 22 ? host : `"[${host}]:${port}"`}.`,
      )
  }
}

interface Fault extends Error {
  readonly level?: string
  readonly code?: string
}

/** What errors of the network say, without the words of others. */
const SOCKET: Readonly<Record<string, string>> = {
  ENOTFOUND: 'has a name that nobody knows',
  EAI_AGAIN: 'has a name that could not be looked up',
  ECONNREFUSED: 'refuses connections: nothing listens there',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ETIMEDOUT: 'does not answer',
}

function failure({ level, code = '' }: Fault, hop: Hop, credentials: Credentials): DatabaseError {
  const server = `The SSH server ${hop.host}:${hop.port}`
  switch (level) {
    case 'client-timeout':
      return lost(`${server} did not let us in within ${CONNECT_MS / 1000} seconds.`)
    case 'client-authentication':
      return refused(hop, credentials)
    case 'client-socket':
    case undefined:
      return lost(`${server} ${SOCKET[code] ?? 'cannot be reached'}.`)
    default:
      return lost(
        `${server} does not speak SSH, or shares no algorithm with Tidegate.`,
        'Tidegate takes no algorithm that uses SHA-1 to prove who a server is.',
      )
  }
}

function refused({ host, user }: Hop, { methods, locked }: Credentials): DatabaseError {
  const message = `The SSH server ${host} refuses the login of ${user}.`
  if (locked.length > 0) {
    return wrong(
      `${message} The key ${locked[0]} is encrypted, and was not tried.`,
      'Add it to your agent with ssh-add, or set the variable SSH_KEY_PASSPHRASE.',
    )
  }
  const hint =
    methods.length > 0
      ? 'Name the key with --ssh-key, and the user as user@bastion. It has to work with ssh in the same way.'
      : 'There is no key to show: none in ~/.ssh, and no agent in SSH_AUTH_SOCK. Name one with --ssh-key.'
  return wrong(message, hint)
}
