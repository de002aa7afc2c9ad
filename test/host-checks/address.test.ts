import { describe, expect, test } from 'vitest'
import { type Host, oauthHost } from '../servers/oauth-host.ts'
import {
  ALL,
  CHATGPT,
  CLAUDE,
  examined,
  ORIGIN,
  shutOut,
  troubles,
  URL_PASTED,
  wrongHost,
} from '../support/host-checks.ts'

const openHost: Host = (request) => {
  const { origin } = new URL(request.url)
  const asked = new URL(request.url)
  if (!asked.pathname.startsWith('/.well-known/')) asked.pathname = '/mcp'
  return oauthHost(origin, { open: true })(new Request(asked, request))
}

describe('a URL', () => {
  const rows: readonly (readonly [string, string[], (string | undefined)[]])[] = [
    ['http://gate.example.com/mcp', ['problem url-https'], ALL],
    ['https://gate.example.com:8443/mcp', ['problem url-port'], [CLAUDE, CHATGPT]],
    ['https://gate.example.com', ['note url-path'], []],
    ['https://gate.example.com/', ['note url-path'], []],
    ['https://gate.example.com/mcp/', ['note url-path'], []],
    ['https://gate.example.com/sse', ['note url-path'], []],
    ['HTTPS://Gate.Example.com:443/mcp', ['note url-form'], []],
    ['https://gate.example.com/k/marker-of-a-key/mcp', ['note url-secret'], []],
    ['https://gate.example.com/mcp?token=marker-of-a-key', ['note url-secret'], []],
    ['http://localhost:1234/mcp', ['note reach'], [CLAUDE, CHATGPT]],
    ['http://127.0.0.1:1234/mcp', ['note reach'], [CLAUDE, CHATGPT]],
    ['http://[::1]:1234/mcp', ['note reach'], [CLAUDE, CHATGPT]],
    ['https://192.168.0.1/mcp', ['note reach'], [CLAUDE, CHATGPT]],
    ['https://[fd00::1]/mcp', ['note reach'], [CLAUDE, CHATGPT]],
  ]
  test.each(rows)('gets the right findings: %s', async (url, found, out) => {
    const report = await examined(openHost, { url })
    expect(troubles(report)).toEqual(found)
    expect(shutOut(report)).toEqual(out)
    const isFine = report.findings.some(({ id }) => id === 'url')
    expect(isFine).toBe(!found.some((it) => it.includes(' url-')))
    expect(JSON.stringify([report.findings, report.verdicts()])).not.toContain('marker-of-a-key')
  })

  test.each([
    ['https://gate.example.com', 'try https://gate.example.com/mcp.'],
    ['https://gate.example.com/mcp/', 'Paste https://gate.example.com/mcp,'],
    ['https://gate.example.com/a/sse', 'Try https://gate.example.com/a/mcp.'],
  ])('%s gets a hint which one to paste', async (url, fix) => {
    const { findings } = await examined(openHost, { url })
    expect(findings.find(({ id }) => id === 'url-path')!.fix).toContain(fix)
  })

  test('in a private network is out of reach for hosts on the internet', async () => {
    const lookup = async () => [{ address: '10.1.2.3' }]
    const report = await examined(openHost, { lookup })
    expect(troubles(report)).toEqual(['note reach'])
  })

  test('with a key is reported without the key, even if the server repeats it', async () => {
    const key = 'marker/of%20a key'
    const url = `${ORIGIN}/k/${encodeURIComponent(key)}/mcp`
    const echo =
      (to: string): Host =>
      async () =>
        new Response(null, { status: 302, headers: { location: to } })
    for (const to of [
      url,
      `https://x.example.com/${encodeURIComponent(key)}`,
      // Truncated in the middle of the key.
      `https://x.example.com/${'x'.repeat(128)}${encodeURIComponent(key)}`,
      `${ORIGIN}/?k=${key}`,
    ]) {
      const report = await examined(echo(to), { url })
      expect(JSON.stringify([report.findings, report.verdicts()])).not.toMatch(/marker/)
      expect(report.hasProblem).toBe(true)
    }
  })
})

describe('the address of a server', () => {
  const inner = [
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
    ...['127.0.0.0', '127.255.255.255', '169.254.0.0', '169.254.255.255', '172.16.0.0'],
    ...['172.31.255.255', '192.168.0.0', '192.168.255.255', '[::]', '[::1]', '[fc00::]'],
    ...['[fdff:ffff::1]', '[fe80::]', '[febf:ffff::1]', '[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]'],
    ...['[::ffff:0.0.0.1]', '[::ffff:100.64.0.1]', '[::ffff:169.254.169.254]'],
    ...['localhost', 'a.localhost', 'localhost.'],
  ]
  const outer = [
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
    ...['192.167.255.255', '192.169.0.0', '[::2]', '[2001:4860::1]', '[fbff::1]', '[fe7f::1]'],
    ...['[fec0::1]', '[::ffff:11.0.0.1]', '[::ffff:8.8.8.8]', '10.example.com', '127.example.com'],
  ]
  const placed = async (url: string, found?: string) => {
    const lookup = async () => (found === undefined ? [] : [{ address: found }])
    return troubles(await examined(openHost, { url, lookup })).includes('note reach')
  }
  const bare = (host: string) => host.replace(/^\[|\]$/g, '')

  test.each(inner)('%s is out of reach for hosts on the internet', async (host) => {
    expect(await placed(`https://${host}/mcp`)).toBe(true)
    if (!host.includes('localhost')) expect(await placed(URL_PASTED, bare(host))).toBe(true)
    // No other server gets a request.
    const report = await wrongHost({ resource: { authorization_servers: [`https://${host}`] } })
    expect(troubles(report)).toEqual(['problem authorization-servers'])
  })

  test.each(outer)('%s is on the internet', async (host) => {
    expect(await placed(`https://${host}/mcp`)).toBe(false)
    expect(await placed(URL_PASTED, bare(host))).toBe(false)
  })
})

test('text from a server cannot control the terminal or fill it', async () => {
  const issuer = `https://x.example.com/\u001b[2J\u202e${'x'.repeat(10_000)}`
  const report = await wrongHost({ server: { issuer } })
  const { seen } = report.findings.find(({ id }) => id === 'issuer')!
  expect(seen).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(seen.length).toBeLessThan(400)
})
