import { connect, type Socket } from 'node:net'
import { mysqlReport } from './faulty.ts'
import { startTcp, type TcpServer } from './tcp.ts'

/** A pooler, and the commands that clients sent to it, as text. */
export interface MysqlPooler extends TcpServer {
  readonly heard: readonly string[]
}

/**
 * A transaction pooler for MySQL, as Cloudflare describes Hyperdrive: a client has a session of the server from
 * the beginning of a transaction to its end. Then the session is reset, so settings outside of a transaction are
 * lost. It accepts no prepared statements, no USE, and one command at a time.
 *
 * @param swallows statements that it answers without forwarding them
 */
export async function startMysqlPooler(port: number, swallows = /^$/): Promise<MysqlPooler> {
  const heard: string[] = []
  const serve = (client: Socket) => pool(client, connect(port, '127.0.0.1'), heard, swallows)
  return Object.assign(await startTcp(serve), { heard })
}

/** The commands that Hyperdrive does not accept, by number. */
const REFUSED: Readonly<Record<number, string>> = { 2: 'COM_INIT_DB', 22: 'COM_STMT_PREPARE' }

const RESET_CONNECTION = packet(0, [0x1f])

function pool(client: Socket, server: Socket, heard: string[], swallows: RegExp): void {
  for (const it of [client, server]) {
    it.setNoDelay()
    const end = () => void [client, server].map((socket) => socket.destroy())
    it.on('error', end).on('close', end)
  }
  /** The state of the server: it works for the client, or is reset. */
  let now: 'login' | 'waits' | 'command' | 'reset' = 'login'
  let next: Buffer | undefined
  const send = (command: Buffer) => {
    now = 'command'
    server.write(command)
  }
  const answered = (isInTransaction: boolean) => {
    if (now === 'command' && !isInTransaction) {
      now = 'reset'
      server.write(RESET_CONNECTION)
      return
    }
    now = 'waits'
    if (next) send(next)
    next = undefined
  }
  const isEnd = answers()
  server.on(
    'data',
    packets((whole) => {
      if (now !== 'reset') client.write(whole)
      if (now === 'login') {
        // An OK packet, after the greeting and the requests of the login.
        if (whole[4] === 0 && whole[3]! > 1) now = 'waits'
        return
      }
      const status = isEnd(whole.subarray(4))
      if (status !== undefined) answered((status & IN_TRANSACTION) !== 0)
    }),
  )
  client.on(
    'data',
    packets((whole) => {
      if (now === 'login') return void server.write(whole)
      const text = whole.toString('utf8', 5)
      heard.push(text)
      if (now === 'command' || next) return void client.destroy()
      const refused = REFUSED[whole[4]!] ?? (/^\s*use\b/i.test(text) ? 'USE' : undefined)
      if (refused) return answer(client, mysqlReport(1105, `There is no ${refused} here`))
      if (swallows.test(text)) return answer(client, packet(1, [0, 0, 0, 2, 0, 0, 0]))
      if (now === 'reset') next = whole
      else send(whole)
    }),
  )
}

function answer(client: Socket, report: Buffer): void {
  report[3] = 1
  client.write(report)
}

const IN_TRANSACTION = 1

/** Follows the answers of a server. Returns the status at the end of each one; after an error, the previous one. */
function answers(): (body: Buffer) => number | undefined {
  let status = 0
  let part: 'first' | 'columns' | 'rows' = 'first'
  return (body) => {
    const [kind] = body
    if (kind === 0xff) {
      part = 'first'
      return status
    }
    if (part === 'first') {
      if (kind !== 0) part = 'columns'
      else {
        status = statusOf(body)
        return status
      }
    } else if (kind === 0xfe && body.length === 5) {
      status = body.readUInt16LE(3)
      part = part === 'columns' ? 'rows' : 'first'
      if (part === 'first') return status
    }
    return undefined
  }
}

/** The status in an OK packet, after two counts. */
function statusOf(body: Buffer): number {
  const lengths: Readonly<Record<number, number>> = { 252: 3, 253: 4, 254: 9 }
  const after = (at: number) => at + (lengths[body[at]!] ?? 1)
  return body.readUInt16LE(after(after(1)))
}

function packet(sequence: number, body: readonly number[]): Buffer {
  return Buffer.from([body.length, 0, 0, sequence, ...body])
}

/** Splits the bytes into packets: a length, a number, and the rest. */
function packets(take: (whole: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= 4 + rest.readUIntLE(0, 3)) {
      const end = 4 + rest.readUIntLE(0, 3)
      take(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}
