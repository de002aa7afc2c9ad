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
  wrongHost,
} from '../support/host-checks.ts'

describe('a URL', () => {
  const openHost: Host = (request) => {
    const { origin } = new URL(request.url)
    const asked = new URL(request.url)
    if (!asked.pathname.startsWith('/.well-known/')) asked.pathname = '/mcp'
    return oauthHost(origin, { open: true })(new Request(asked, request))
  }
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
  test.each(rows)('%s', async (url, found, out) => {
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
  ])('%s is told which one to paste', async (url, mend) => {
    const { findings } = await examined(openHost, { url })
    expect(findings.find(({ id }) => id === 'url-path')!.mend).toContain(mend)
  })

  test('whose host is in a private network is not for hosts on the internet', async () => {
    const lookup = async () => [{ address: '10.1.2.3' }]
    const report = await examined(openHost, { lookup })
    expect(troubles(report)).toEqual(['note reach'])
  })

  test('with a key is shown without it, whatever the server says', async () => {
    const key = 'marker/of%20a key'
    const url = `${ORIGIN}/k/${encodeURIComponent(key)}/mcp`
    const echo =
      (to: string): Host =>
      async () =>
        new Response(null, { status: 302, headers: { location: to } })
    for (const to of [
      url,
      `https://x.example.com/${encodeURIComponent(key)}`,
      // Cut in the middle of it.
      `https://x.example.com/${'x'.repeat(128)}${encodeURIComponent(key)}`,
      `${ORIGIN}/?k=${key}`,
    ]) {
      const report = await examined(echo(to), { url })
      expect(JSON.stringify([report.findings, report.verdicts()])).not.toMatch(/marker/)
      expect(report.hasProblem).toBe(true)
    }
  })
})

test('what a server writes cannot move the terminal, nor fill it', async () => {
  const issuer = `https://x.example.com/\u001b[2J\u202e${'x'.repeat(10_000)}`
  const report = await wrongHost({ server: { issuer } })
  const { seen } = report.findings.find(({ id }) => id === 'issuer')!
  expect(seen).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(seen.length).toBeLessThan(400)
})
