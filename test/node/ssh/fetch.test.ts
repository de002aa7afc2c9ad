import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { ConfigError, openGateway } from '../../../src/node/index.ts'
import { tunnelOf } from '../../../src/node/ssh/tunnel.ts'
import { startHrana } from '../../servers/hrana.ts'
import { startHttp } from '../../servers/http.ts'
import { TOKEN } from '../../servers/sqlite-child.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { failure } from '../../support/failure.ts'
import { open } from '../../support/open.ts'
import { freePort } from '../../support/port.ts'
import { startSshd } from '../../support/sshd.ts'

vi.mock('cloudflare:workers', () => import('../../../src/node/workers.ts'))

const [sshd, hrana] = await Promise.all([
  startSshd(),
  startHrana(['create table t (n integer)', 'insert into t values (7)']),
])
const variables = sshd?.variables ?? { SSH_TUNNEL: 'nobody' }
const tunnel = tunnelOf(variables, '/')!
const io = { ...tunnel, bindings: {} }

afterAll(async () => {
  await tunnel.close()
  await sshd?.close()
  hrana.close()
})

const KEY = 'a-key-of-twenty-four-characters-and-more'

const limits = { timeoutMs: 10_000, maxRows: 10, maxBytes: 1_000 }

test.skipIf(!sshd)('a database over HTTP is reached through the tunnel', async () => {
  const url = `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`
  const { rows } = await open(url, io).query({ sql: 'select n from t' }, limits)
  expect(rows).toEqual([[7]])
  expect(sshd!.ways()).toContain(`127.0.0.1 port ${hrana.port}`)
})

test.skipIf(!sshd)('a missing database and a missing tunnel get different errors', async () => {
  const port = await freePort()
  const url = `libsql://127.0.0.1:${port}?authToken=${TOKEN}`
  const { message } = await failure(open(url, io).query({ sql: 'select 1' }, limits))
  expect(message).toBe(`The SSH server ${variables.SSH_TUNNEL} cannot reach [127.0.0.1]:${port}.`)
  const nowhere = tunnelOf({ ...variables, SSH_TUNNEL: `127.0.0.1:${port}` }, '/')!
  const lost = open(url, { ...nowhere, bindings: {} }).query({ sql: 'select 1' }, limits)
  expect((await failure(lost)).message).toContain(`The SSH server 127.0.0.1:${port} refuses`)
  await nowhere.close()
})

test.skipIf(!sshd)(
  'an untrusted TLS certificate is refused at the other end of a tunnel',
  async () => {
    const certificate = makeCertificate()
    if (!certificate) return
    const server = createServer(certificate, (_, response) => response.end('secret'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const error = await tunnel.fetch(`https://localhost:${port}/`).catch((it) => it)
      expect(error.cause.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
      expect(sshd!.ways()).toContain(`localhost port ${port}`)
    } finally {
      server.close()
    }
  },
)

test.skipIf(!sshd)(
  'an answer can be read in part, and a caller who aborts ends its stream',
  async () => {
    let ended = false
    const port = await startHttp((_, response) => {
      response.on('close', () => {
        ended = true
      })
      response.write('x'.repeat(1_000))
    })
    const leaving = new AbortController()
    const { body } = await tunnel.fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal })
    expect((await body!.getReader().read()).value).toHaveLength(1_000)
    leaving.abort()
    await expect.poll(() => ended).toBe(true)
  },
)

test.skipIf(!sshd)(
  'a gateway checks the tunnel setting at startup, and reaches databases through it',
  async () => {
    await expect(openGateway({ variables: { SSH_TUNNEL: '-oProxyCommand=x' } })).rejects.toThrow(
      ConfigError,
    )
    const before = sshd!.ways().length
    const gateway = await openGateway({
      variables: {
        ...variables,
        DATABASE_URL: `libsql://127.0.0.1:${hrana.port}?authToken=${TOKEN}`,
        PRIVATE_HOSTS: '*',
        TIDEGATE_KEY: KEY,
      },
    })
    const response = await gateway.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${KEY}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'query', arguments: { sql: 'select n from t' } },
        }),
      }),
    )
    const text = await response.text()
    await gateway.close()
    expect(text).toContain('7')
    expect(sshd!.ways().length).toBeGreaterThan(before)
  },
)
