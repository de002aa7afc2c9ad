import type { Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { accessOf } from '../../../src/database/postgres/libpq/login.ts'
import Client from '../../../src/database/postgres/pg.mjs'
import { cancelUntil } from '../../../src/database/postgres/tcp/cancel.ts'
import { startTcp, type TcpServer } from '../../servers/tcp.ts'

/** The codes of a cancel request and a TLS request, in place of a protocol version. */
const CANCEL = 80_877_102
const ENCRYPT = 80_877_103

const session = { processID: 4711, secretKey: 42 }
const never = new Promise<never>(() => {})

let server: TcpServer
const serve = async (listener: (socket: Socket) => void) => {
  server = await startTcp(listener)
}
/** A cancel request leaves no connection open. */
afterEach(async () => {
  await expect.poll(() => server.open).toBe(0)
  await server.close()
})

const cancel = (answered: Promise<unknown>, more = {}, { ms = 300, mode = 'disable' } = {}) => {
  const url = `postgres://app:secret@127.0.0.1:${server.port}/shop?sslmode=${mode}`
  const signal = AbortSignal.timeout(ms)
  const [login] = accessOf(new URL(url)).servers.all
  return cancelUntil(answered, Client, login!, { ...session, ...more }, signal)
}

describe('a cancel request', () => {
  test('is repeated until the query is answered', async () => {
    const answered = Promise.withResolvers<void>()
    const requests: number[][] = []
    await serve((socket) =>
      socket.once('data', (chunk: Buffer) => {
        requests.push([0, 4, 8, 12].map((at) => chunk.readInt32BE(at)))
        if (requests.length === 3) answered.resolve()
        socket.end()
      }),
    )
    await cancel(answered.promise, {}, { ms: 10_000 })
    const { processID, secretKey } = session
    expect(requests).toEqual(Array(3).fill([16, CANCEL, processID, secretKey]))
  })

  test('ends at the time limit if the server does not close the connection', async () => {
    let connections = 0
    await serve(() => connections++)
    await cancel(never)
    expect(connections).toBe(1)
  })

  test('is repeated until the time limit if it has no effect', async () => {
    let connections = 0
    await serve((socket) => {
      connections++
      socket.end()
    })
    await cancel(never)
    expect(connections).toBeGreaterThan(1)
  })

  test('is not sent to a server that refuses the required TLS', async () => {
    const said: number[] = []
    await serve((socket) =>
      socket.once('data', (chunk: Buffer) => {
        said.push(chunk.length, chunk.readInt32BE(4))
        socket.on('data', ({ length }) => said.push(length))
        socket.write('N')
      }),
    )
    await cancel(Promise.resolve(), {}, { mode: 'require' })
    expect(said).toEqual([8, ENCRYPT])
  })

  test('is not sent before the server accepts the session', async () => {
    let connections = 0
    await serve(() => connections++)
    await cancel(never, { processID: null })
    expect(connections).toBe(0)
  })
})
