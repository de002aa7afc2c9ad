import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { boundConnections, networkIn } from '../../src/node/connections.ts'
import { startNodeWorker } from '../support/node-worker.ts'
import { askApi, OPERATOR_KEY, operated } from '../support/registry-api.ts'

afterEach(() => vi.restoreAllMocks())

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket.on('error', () => {}).on('close', () => resolve())
  })

test.each([
  ['for one address', { all: 100, each: 3 }],
  ['for all addresses', { all: 3, each: 100 }],
])(
  'a connection beyond the limit %s is closed, and accepted after another one ends',
  async (_, bounds) => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = createServer((__, outgoing) => outgoing.end('here'))
    boundConnections(server, bounds, (address) => address)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const open = async () => {
      const socket = connect(port, '127.0.0.1')
      await new Promise((resolve) => socket.once('connect', resolve))
      return socket
    }
    const asks = (socket: Socket) =>
      new Promise<string>((resolve) => {
        socket.once('data', (bytes) => resolve(String(bytes).slice(9, 12)))
        socket.once('close', () => resolve('closed'))
        socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      })
    const sockets = [await open(), await open(), await open()]
    for (const socket of sockets) expect(await asks(socket)).toBe('200')
    expect(await asks(await open())).toBe('closed')
    expect(await asks(await open())).toBe('closed')
    expect(told.mock.calls).toEqual([['Too many connections at once: 1 refused so far.']])
    const over = closed(sockets[0]!)
    sockets[0]!.destroy()
    await over
    await vi.waitFor(async () => expect(await asks(await open())).toBe('200'))
    server.closeAllConnections()
    server.close()
  },
)

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2:3::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['127.0.0.1', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['::1', undefined],
])('connections from %s count for the network %s', (address, network) => {
  expect(networkIn(address)).toBe(network)
})

test('a client that disconnects while it sends a body causes no error in the log, on any route', async () => {
  const worker = await startNodeWorker(operated)
  const { json: document } = await askApi(worker, 'GET', '/api/openapi.json')
  const inApi = Object.entries(document.paths as Record<string, Record<string, object>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([, it]) => 'requestBody' in it)
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`),
  )
  expect(inApi.length).toBeGreaterThan(10)
  const others = ['/mcp', '/mcp/shop', '/register', '/token', '/authorize', '/console', '/nowhere']
  const port = Number(new URL(worker.url).port)
  const asked = [...inApi, ...others.map((path) => `POST ${path}`)]
  await Promise.all(
    asked.map(async (line) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OPERATOR_KEY}\r\n` +
            'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"half":',
        ),
      )
      const over = closed(socket)
      setTimeout(() => socket.destroy(), 300)
      await over
    }),
  )
  // These requests are answered after the server noticed the disconnects.
  for (let i = 0; i < 5; i++) await askApi(worker, 'GET', '/api/status')
  const logs = worker.logs()
  await worker.close()
  expect(logs.filter((it) => /went wrong|did not come|Error/.test(it))).toEqual([])
})
