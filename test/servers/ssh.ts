import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import ssh2, { type Connection, type ServerChannel } from 'ssh2'

/** A pair of keys: the private one as a file has it, the public one as `authorized_keys` has it. */
export interface Keys {
  readonly private: string
  readonly public: string
}

/** Makes a pair of keys, encrypted if there is a passphrase. */
export function makeKeys(passphrase?: string): Keys {
  const locked = passphrase ? { passphrase, cipher: 'aes256-ctr', rounds: 4 } : {}
  return ssh2.utils.generateKeyPairSync('ed25519', { comment: 'test', ...locked })
}

/** What an SSH server of ours does with those who want through. */
export interface BastionOptions {
  readonly hostKeys?: readonly Keys[]
  /** Keys that may log in as `jump`, and the password that lets in too. */
  readonly lets?: readonly Keys[]
  readonly password?: string
  /** Leads nobody anywhere: it says so, or leaves it open for good. */
  readonly refuses?: 'in words' | 'silently'
}

/** A real SSH server on a port of this machine. It leads wherever this machine can go. */
export interface Bastion {
  readonly port: number
  readonly hostKeys: readonly Keys[]
  /** The line of a file of known hosts that it is known by. */
  readonly line: string
  /** How many have logged in, and where they were led. */
  readonly logins: () => number
  readonly ways: readonly string[]
  /** The kinds of login that were tried. */
  readonly tries: readonly string[]
  /** How many of its ways are open. */
  readonly open: () => number
  /** Breaks all connections, as a server that dies does. */
  kill(): void
  close(): Promise<void>
}

/** Starts one at 127.0.0.1. */
export async function startBastion({
  hostKeys = [makeKeys()],
  lets = [],
  password,
  refuses,
}: BastionOptions = {}): Promise<Bastion> {
  const ways: string[] = []
  const tries: string[] = []
  const sockets = new Set<Socket>()
  let logins = 0
  let open = 0
  const lead = (accept: () => ServerChannel, reject: () => void, to: Socket) => {
    to.once('connect', () => {
      const channel = accept()
      open++
      channel.on('error', () => {})
      to.on('close', () => channel.destroy())
      channel.on('close', () => {
        open--
        to.destroy()
      })
      channel.pipe(to).pipe(channel)
    })
    to.on('error', () => reject())
  }
  const serve = (connection: Connection) => {
    connection.on('error', () => {})
    connection.on('authentication', (context) => {
      tries.push(context.method)
      if (context.username !== 'jump') return context.reject()
      if (context.method === 'password' && context.password === password) return context.accept()
      if (context.method !== 'publickey') return context.reject(['publickey', 'password'])
      const { key, signature, blob } = context
      const found = lets
        .map((it) => ssh2.utils.parseKey(it.public))
        .find((it) => !(it instanceof Error) && it.getPublicSSH().equals(key.data))
      if (!found || found instanceof Error) return context.reject(['publickey', 'password'])
      const isOurs = !signature || found.verify(blob!, signature, context.hashAlgo) === true
      return isOurs ? context.accept() : context.reject()
    })
    connection.on('ready', () => logins++)
    // Without a listener, the library says that it is prohibited.
    if (refuses === 'in words') return
    connection.on('tcpip', (accept, reject, { destIP, destPort }) => {
      ways.push(`${destIP}:${destPort}`)
      if (refuses !== 'silently') lead(accept, reject, connect(destPort, destIP))
    })
    connection.on('openssh.streamlocal', (accept, reject, { socketPath }) => {
      ways.push(socketPath)
      lead(accept, reject, connect(socketPath))
    })
  }
  const server = new ssh2.Server({ hostKeys: hostKeys.map((it) => it.private) }, serve)
  // Its own sockets, so that they can be broken.
  const outer = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    server.injectSocket(socket)
  })
  outer.listen(0, '127.0.0.1')
  await once(outer, 'listening')
  const { port } = outer.address() as AddressInfo
  const kill = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    ...{ port, hostKeys, ways, tries, kill },
    line: `[127.0.0.1]:${port} ${hostKeys[0]!.public}`,
    logins: () => logins,
    open: () => open,
    async close() {
      kill()
      await new Promise<void>((resolve) => outer.close(() => resolve()))
    },
  }
}
