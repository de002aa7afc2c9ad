import { expect, test, vi } from 'vitest'
import { formToken, isFromOurPage, readForm } from '../../../src/auth/server/form.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const URL_OF_PAGE = 'https://gate.example/authorize?client_id=x'

const post = (headers: Record<string, string>) =>
  new Request(URL_OF_PAGE, { method: 'POST', headers })

/** Returns whether a form with these headers and this token is accepted. */
const isOurs = (headers: Record<string, string>, token = '') =>
  isFromOurPage(post(headers), new URLSearchParams({ form: token }))

test.each([
  { origin: 'https://gate.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'https://gate.example' },
  { 'sec-fetch-site': 'same-origin' },
])('a form from our own page is accepted: %j', (headers) => {
  expect(isOurs(headers)).toBe(true)
})

test.each([
  { origin: 'https://evil.example' },
  { origin: 'http://gate.example' },
  { origin: 'https://gate.example:8443' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  { origin: 'https://gate.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'none' },
  {},
])('a foreign form is rejected, or needs a token: %j', (headers: Record<string, string>) => {
  expect(isOurs(headers, 'x'.repeat(43))).toBe(false)
  const cookie = `__Host-tidegate-form=${'x'.repeat(43)}`
  const named = Object.keys(headers).length > 0
  expect(isOurs({ ...headers, cookie }, 'x'.repeat(43))).toBe(!named)
})

test('a missing or invalid token never matches', () => {
  for (const cookie of ['', '__Host-tidegate-form=', '__Host-tidegate-form=x', 'a=b']) {
    expect(isOurs({ cookie })).toBe(false)
    expect(isOurs({ cookie }, 'x')).toBe(false)
  }
})

test('a browser keeps its token, so two tabs share it', () => {
  const { token, headers } = formToken(new Request(URL_OF_PAGE))
  expect(headers['set-cookie']).toMatch(/^__Host-tidegate-form=\w{43}; Path=\/; Secure; HttpOnly/)
  const cookie = headers['set-cookie']!.split(';')[0]!
  expect(formToken(new Request(URL_OF_PAGE, { headers: { cookie } }))).toEqual({
    token,
    headers: {},
  })
})

test('a body of another content type is not read', async () => {
  const read = (type: string, body: string) =>
    readForm(new Request(URL_OF_PAGE, { method: 'POST', headers: { 'content-type': type }, body }))
  expect((await read('application/x-www-form-urlencoded; charset=UTF-8', 'a=1'))?.get('a')).toBe(
    '1',
  )
  for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', '']) {
    expect(await read(type, 'a=1')).toBeUndefined()
  }
})
