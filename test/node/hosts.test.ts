import { globSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { arrived, isClaimed } from '../../src/node/arrived.ts'
import { type Gateway, openGateway } from '../../src/node/gateway.ts'
import { type ListenOptions, listen } from '../../src/node/listen.ts'

vi.mock('cloudflare:workers', () => import('../../src/node/workers.ts'))

/** Headers in which platforms and proxies report an address, a host or a scheme. */
const CLAIMS = [
  ...['CF-Connecting-IP', 'CF-Connecting-IPv6', 'CF-Pseudo-IPv4', 'CF-IPCountry', 'CF-Visitor'],
  ...['CF-Ray', 'CF-Worker', 'CF-EW-Via'],
  ...['MF-Original-URL', 'MF-Proxy-Shared-Secret', 'MF-CF-Blob', 'MF-Route-Override'],
  ...['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Port'],
  ...['X-Forwarded-Server', 'X-Forwarded-Prefix', 'X-Forwarded-Scheme', 'X-Forwarded'],
  ...['Forwarded', 'Forwarded-For', 'X-Real-IP', 'True-Client-IP', 'X-Client-IP', 'Client-IP'],
  ...['X-Cluster-Client-IP', 'Fastly-Client-IP', 'Fly-Client-IP', 'X-Original-URL'],
  ...['X-Original-Host', 'X-Rewrite-URL', 'X-Host', 'X-Remote-Addr', 'Remote-Addr'],
  ...['X-Envoy-External-Address', 'X-Appengine-User-IP', 'X-Azure-ClientIP', 'Via'],
]

/** A header that may name an address, a host or a scheme. */
const KIND = /^(?:cf|mf)-|forward|original|client|real|remote|\bip|host|proxy|proto|rewrite/

/** Headers of this kind that clients may send. Cloudflare Access signs the second, and we verify it. */
const OF_CLIENTS = ['host', 'cf-access-jwt-assertion', 'mcp-protocol-version']

describe('a header about the address of a client', () => {
  test.each(CLAIMS)('is dropped: %s', (name) => {
    const headers = { [name]: '192.0.2.1', 'x-api-key': 'k' }
    for (const address of [undefined, '192.0.2.99']) {
      const { headers: left } = arrived(new Request('http://localhost/mcp', { headers }), address)
      expect(left.get('x-api-key')).toBe('k')
      expect(left.get('cf-connecting-ip')).toBe(address ?? null)
      if (name !== 'CF-Connecting-IP') expect(left.get(name)).toBe(null)
    }
  })

  test('is dropped from a request with read-only headers, and the body stays', async () => {
    const inner = new Request('http://localhost/mcp', { method: 'POST', body: 'text' })
    const headers = new Headers({ 'cf-connecting-ip': '192.0.2.1', 'x-api-key': 'k' })
    const refuse = () => {
      throw new TypeError('immutable')
    }
    Object.assign(headers, { set: refuse, delete: refuse })
    Object.defineProperty(inner, 'headers', { value: headers })
    const request = arrived(inner, '192.0.2.2')
    expect([...request.headers]).toEqual([
      ['cf-connecting-ip', '192.0.2.2'],
      ['x-api-key', 'k'],
    ])
    expect(await request.text()).toBe('text')
  })

  test('is on the list of dropped headers if the source code reads it', () => {
    const read = globSync('src/**/*.{ts,tsx}')
      .filter((path) => !/^src\/(?:node|console|database)\//.test(path))
      .flatMap((path) => [
        ...readFileSync(path, 'utf8').matchAll(
          /(?:headers\.(?:get|has)|req\.header|context\.header)\(\s*'([\w-]+)'/g,
        ),
      ])
      .map(([, name]) => name!.toLowerCase())
    expect(read).toContain('cf-connecting-ip')
    const unsorted = read.filter((it) => KIND.test(it) && !isClaimed(it))
    expect(unsorted.filter((it) => !OF_CLIENTS.includes(it))).toEqual([])
    expect(OF_CLIENTS.filter(isClaimed)).toEqual([])
  })
})

describe('callers without a key are counted by the address from the platform', () => {
  let gateway: Gateway
  beforeAll(async () => {
    const shop = {
      name: 'shop',
      title: 'Shop',
      access: 'public',
      databases: { main: { url: 'demo:' } },
    }
    const limits = { caller: { callsPerMinute: 10 } }
    gateway = await openGateway({ variables: { ENDPOINTS: JSON.stringify([{ ...shop, limits }]) } })
  })
  afterAll(() => gateway.close())

  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const call = { method: 'POST', body }

  /** True if a header makes a caller without calls left count as another. A minute may end meanwhile. */
  async function isAnother(
    ask: (headers: Record<string, string>) => Promise<number>,
    name: string,
  ) {
    for (let attempt = 1; attempt <= 3; attempt++) {
      for (let left = 30; (await ask({})) !== 429; left--) if (left === 0) return 'not counted'
      const value = `198.51.100.${attempt * 7}`
      if ((await ask({ [name]: value })) === 429) return false
    }
    return true
  }
  const json = { 'content-type': 'application/json' }

  test.each(CLAIMS)('in gateway.fetch, regardless of the header %s', async (name) => {
    const ask = async (headers: Record<string, string>) => {
      const request = new Request('http://localhost/mcp', {
        ...call,
        headers: { ...json, ...headers },
      })
      const { status } = await gateway.fetch(request, { address: '192.0.2.7' })
      return status
    }
    expect(await isAnother(ask, name)).toBe(false)
  })

  test('and another address counts as another caller', async () => {
    const status = async (address: string) => {
      const request = new Request('http://localhost/mcp', { ...call, headers: json })
      return (await gateway.fetch(request, { address })).status
    }
    for (let left = 30; (await status('192.0.2.8')) !== 429; left--) expect(left).toBeGreaterThan(0)
    expect(await status('192.0.2.9')).toBe(200)
  })

  test('over HTTP, regardless of these headers', async () => {
    const server = await listen(gateway, { port: 0 })
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/mcp`, { ...call, headers: { ...json, ...headers } })).status
    for (const name of CLAIMS) expect([name, await isAnother(ask, name)]).toEqual([name, false])
    await server.close()
  })
})

describe('the host of a request', () => {
  const seen: Gateway['fetch'] = async ({ url, headers }) =>
    new Response(`${new URL(url).origin} ${headers.get('host')}`)

  /** The status and body of the response to these lines. */
  async function ask(port: number, ...lines: readonly string[]) {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`),
      )
      let said = ''
      socket.setEncoding('utf8').on('data', (piece) => (said += piece))
      socket.on('error', () => {}).on('close', () => resolve(said))
    })
    return [text.slice(9, 12), text.slice(text.indexOf('\r\n\r\n') + 4)] as const
  }

  async function serving(options: ListenOptions, act: (port: number) => Promise<void>) {
    const server = await listen({ fetch: seen }, { port: 0, ...options })
    try {
      await act(Number(new URL(server.url).port))
    } finally {
      await server.close()
    }
  }

  test('on loopback must be a name of this machine with the port of the server', async () => {
    await serving({}, async (port) => {
      for (const host of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST', 'tidegate-1.localhost']) {
        const [status, text] = await ask(port, 'GET / HTTP/1.1', `Host: ${host}:${port}`)
        expect([host, status]).toEqual([host, '200'])
        expect(text).toContain(`http://${host.toLowerCase()}:${port} ${host.toLowerCase()}:${port}`)
      }
      for (const host of [
        ...[
          'localhost',
          '127.0.0.1',
          `localhost:${port + 1}`,
          `evil.example:${port}`,
          'evil.example',
        ],
        ...[`localhost.evil.example:${port}`, `127.0.0.1.evil.example:${port}`, `0.0.0.0:${port}`],
        ...[`10.0.0.1:${port}`, `gateway:${port}`, `[::2]:${port}`, `localhost.:${port}`],
      ]) {
        const [status, text] = await ask(port, 'GET / HTTP/1.1', `Host: ${host}`)
        expect([host, status]).toEqual([host, '421'])
        expect(text).not.toContain('evil')
        expect(text).toContain('--origin')
      }
    })
  })

  test('must be valid and unambiguous', async () => {
    await serving({}, async (port) => {
      const here = `127.0.0.1:${port}`
      for (const [expected, ...lines] of [
        ['200', `GET http://${here}/ HTTP/1.1`, `Host: ${here}`],
        ['400', 'GET http://evil.example/ HTTP/1.1', `Host: ${here}`],
        ['400', `GET http://${here}/ HTTP/1.1`, 'Host: evil.example'],
        ['400', `GET http://user@${here}/ HTTP/1.1`, `Host: ${here}`],
        ['400', 'GET / HTTP/1.1', `Host: ${here}`, 'Host: evil.example'],
        ['400', 'GET / HTTP/1.1', `Host: ${here}`, `Host: ${here}`],
        ['400', 'GET / HTTP/1.1'],
        ['400', 'GET / HTTP/1.1', 'Host:'],
        ['400', 'GET / HTTP/1.0'],
        ['400', 'GET / HTTP/1.1', `Host: a@${here}`],
        ['400', 'GET / HTTP/1.1', `Host: ${here}/mcp`],
        ['400', 'GET / HTTP/1.1', `Host: ${here}?`],
        ['400', 'GET / HTTP/1.1', `Host: evil.example\\${here}`],
        ['400', 'GET / HTTP/1.1', `Host: ${here} evil.example`],
        ['400', 'GET / HTTP/1.1', `Host : ${here}`],
        ['421', 'GET / HTTP/1.1', 'Host: evil.example', `X-Forwarded-Host: ${here}`],
        ['421', 'GET / HTTP/1.1', 'Host: evil.example', `MF-Original-URL: http://${here}/`],
      ] as const) {
        expect([lines, (await ask(port, ...lines))[0]]).toEqual([lines, expected])
      }
    })
  })

  test('behind a proxy must belong to an origin of the deployment, which also sets the scheme', async () => {
    const origins = ['https://mcp.example.com/', 'http://inside.example:8080']
    await serving({ proxied: true, origins }, async (port) => {
      for (const [expected, ...lines] of [
        ['https://mcp.example.com mcp.example.com', 'Host: mcp.example.com'],
        ['https://mcp.example.com mcp.example.com', 'Host: MCP.example.com:443'],
        ['https://mcp.example.com mcp.example.com', 'Host: x', 'X-Forwarded-Host: mcp.example.com'],
        [
          ...['https://mcp.example.com mcp.example.com', 'Host: mcp.example.com'],
          'X-Forwarded-Proto: http',
        ],
        ['http://inside.example:8080 inside.example:8080', 'Host: inside.example:8080'],
      ] as const) {
        expect([lines, await ask(port, 'GET / HTTP/1.1', ...lines)]).toEqual([
          lines,
          ['200', expect.stringContaining(expected)],
        ])
      }
      for (const lines of [
        [`Host: 127.0.0.1:${port}`],
        ['Host: evil.example'],
        ['Host: mcp.example.com:8080'],
        ['Host: mcp.example.com.'],
        ['Host: mcp.example.com', 'X-Forwarded-Host: evil.example'],
        ['Host: mcp.example.com', 'X-Forwarded-Host: mcp.example.com, evil.example'],
        ['Host: inside.example', 'X-Forwarded-Proto: https'],
      ]) {
        const [status, text] = await ask(port, 'GET / HTTP/1.1', ...lines)
        expect([lines, status]).toEqual([lines, '421'])
        expect(text).toContain('TIDEGATE_ORIGIN')
        expect(text).not.toContain('evil')
      }
      // Health checks use the address of the container.
      for (const path of ['/health', '/ready?x=1']) {
        const [status, text] = await ask(port, `GET ${path} HTTP/1.1`, 'Host: 10.1.2.3:8787')
        expect([status, text]).toEqual(['200', expect.stringContaining('https://mcp.example.com ')])
      }
    })
  })

  test('behind a proxy requires an origin, and an origin must be valid', async () => {
    await expect(listen({ fetch: seen }, { port: 0, proxied: true })).rejects.toThrow('--origin')
    for (const origin of [
      'mcp.example.com',
      'https://a.example/mcp',
      'https://u@a.example',
      'ftp://a.example',
      '*',
      'https://a.example?x',
      'https://',
    ]) {
      const opened = listen({ fetch: seen }, { port: 0, origins: [origin] })
      await expect(opened, origin).rejects.toThrow('An origin is the beginning of a URL')
    }
  })
})
