import { connect, type Socket } from 'node:net'
import { startTcp, type TcpServer } from './tcp.ts'

/**
 * A transaction pooler, like PgBouncer and Hyperdrive: all clients share one session of the server, and each
 * client has it from the beginning of a transaction to its end. Nothing is reset in between.
 */
export function startPooler(port: number, user: string, database: string): Promise<TcpServer> {
  const backend = connectTo(port, user, database)
  let turn: Promise<unknown> = backend
  return startTcp((client) => {
    let greeted = false
    let waiting: Buffer[] | undefined
    let end: (() => void) | undefined
    /** The number of statements without an answer. */
    let open = 0
    let left = false
    const take = async (server: Socket) => {
      await new Promise<void>((resolve) => {
        end = resolve
        const answers = framed((type, message) => {
          if (!left) client.write(message)
          if (type !== 'Z') return
          open--
          if (open > 0) return
          if (message.toString('latin1', 5) === 'I') resolve()
          else if (left) server.write(rollBack(() => open++))
        })
        server.removeAllListeners('data').on('data', answers)
        for (const it of waiting!) server.write(it)
        waiting = undefined
        if (left && open === 0) resolve()
      })
      end = undefined
    }
    const requests = framed((type, message) => {
      if (type === 'X') return
      if (type === 'S' || type === 'Q') open++
      if (end && !waiting) return void backend.then((server) => server.write(message))
      if (waiting) return void waiting.push(message)
      waiting = [message]
      turn = turn.then(() => backend).then(take)
    })
    client.on('data', (chunk: Buffer) => {
      if (greeted) return requests(chunk)
      greeted = true
      client.write(WELCOME)
    })
    client.on('close', () => {
      left = true
      // The client may leave in the middle of a transaction, which must not continue for the next client.
      if (end) void backend.then((server) => server.write(rollBack(() => open++)))
    })
  })
}

/**
 * A statement pooler: after this number of statements, everything from a client goes to another session. It loses
 * transactions, settings and cursors, so it does not work for clients that need them.
 */
export function startSwapping(
  port: number,
  user: string,
  database: string,
  statements: number,
): Promise<TcpServer> {
  return startTcp((client) => {
    const sessions = [connectTo(port, user, database), connectTo(port, user, database)]
    let greeted = false
    /** The numbers of statements that were sent and answered. */
    let [sent, answered] = [0, 0]
    const waiting: Buffer[] = []
    let turn: Promise<unknown> = Promise.all(sessions).then((all) => {
      for (const it of all) {
        it.removeAllListeners('data').on(
          'data',
          framed((type, message) => {
            client.write(message)
            if (type !== 'Z') return
            answered++
            pass()
          }),
        )
      }
    })
    // Messages after the swap wait until the first session has answered everything before it.
    const pass = () => {
      while (waiting.length > 0 && (sent !== statements || answered === sent)) {
        const next = waiting.shift()!
        const session = sessions[sent < statements ? 0 : 1]!
        if (next[0] === SYNC) sent++
        turn = turn.then(async () => (await session).write(next))
      }
    }
    const requests = framed((type, message) => {
      if (type !== 'X') waiting.push(message)
      pass()
    })
    client.on('data', (chunk: Buffer) => {
      if (greeted) return requests(chunk)
      greeted = true
      client.write(WELCOME)
    })
    client.on('close', async () => {
      for (const it of sessions) (await it).destroy()
    })
  })
}

/** "S" for Sync, which ends a statement. */
const SYNC = 0x53

/** A session of the server after the login. */
function connectTo(port: number, user: string, database: string): Promise<Socket> {
  const server = connect(port, '127.0.0.1')
  server.on('error', () => {})
  server.unref()
  const words = Buffer.from(['user', user, 'database', database, '', ''].join('\0'))
  const head = Buffer.alloc(8)
  head.writeInt32BE(words.length + 8, 0)
  head.writeInt32BE(196_608, 4)
  server.write(Buffer.concat([head, words]))
  return new Promise((resolve) => {
    server.on(
      'data',
      framed((type) => type === 'Z' && resolve(server)),
    )
  })
}

/** Splits the bytes into messages: a letter, a length, and the rest. */
function framed(take: (type: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      take(String.fromCharCode(message[0]!), message)
    }
  }
}

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function rollBack(count: () => void): Buffer {
  count()
  return message('Q', Buffer.from('rollback\0'))
}

/** The login succeeded, the session has an id, and it is ready for statements. */
const WELCOME = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('K', Buffer.alloc(8)),
  message('Z', Buffer.from('I')),
])
