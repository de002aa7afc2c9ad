import { describe, expect, test } from 'vitest'
import {
  asHostCookies,
  asPlainCookies,
  cookie,
  readCookie,
  withPlainCookies,
} from '../../../src/auth/server/cookies.ts'

describe('on this machine, over http', () => {
  test('a cookie is read under the name with which it was set', () => {
    const headers = new Headers({ 'content-type': 'text/html' })
    headers.append('set-cookie', cookie('__Host-tidegate-session', 'a', 60))
    headers.append('set-cookie', cookie('__Host-oauth-consent-1', 'b=', 60))
    const answer = asPlainCookies(new Response('text', { status: 403, headers }))
    const set = answer.headers.getSetCookie()
    expect(set).toEqual([
      'tidegate-session=a; Path=/; HttpOnly; SameSite=Lax; Max-Age=60',
      'oauth-consent-1=b=; Path=/; HttpOnly; SameSite=Lax; Max-Age=60',
    ])
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html'])
    const sent = ['other=c', ...set.map((it) => it.split(';')[0])].join('; ')
    const request = new Request('http://localhost/', { headers: { cookie: sent } })
    const read = asHostCookies(request)
    expect(readCookie(read, '__Host-tidegate-session')).toBe('a')
    expect(readCookie(read, '__Host-oauth-consent-1')).toBe('b=')
    expect(readCookie(read, 'other')).toBe('c')
  })
})

test('elsewhere, a cookie is limited to this host and to https', () => {
  const text = cookie('__Host-tidegate-session', 'a', 60)
  expect(text).toMatch(/^__Host-[^;]*; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=60$/)
})

describe('a cookie that only looks like a Tidegate cookie', () => {
  const planted = ['  ', '\u00a0', '\u2000', '\ufeff', '\t', '\v', '\u0000'].flatMap((it) => [
    `${it}__Host-tidegate-session=evil`,
    `__Host-tidegate-session${it}=evil`,
  ])

  // Another site in the domain can set it for the whole domain, because browsers see no prefix in it.
  test.each(planted.map((it) => [JSON.stringify(it), it]))('is ignored: %s', (_, name) => {
    const request = { headers: { get: () => `${name}; good=1` } } as unknown as Request
    expect(readCookie(request, '__Host-tidegate-session')).toBeUndefined()
    expect(readCookie(request, 'good')).toBe('1')
  })

  test('is hidden from the library, and from Tidegate over http', () => {
    const headers = {
      cookie: 'a=1; \xa0__Host-oauth-consent-1=evil; b=2;\t__Host-c=3; \xa0oauth-d=4',
    }
    const request = new Request('https://gate.example/', { headers })
    expect(withPlainCookies(request).headers.get('cookie')).toBe('a=1; b=2')
    expect(asHostCookies(request).headers.get('cookie')).toBe('a=1; b=2')
  })
})
