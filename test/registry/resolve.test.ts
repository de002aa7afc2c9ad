import { expect, test } from 'vitest'
import { dnsOverHttps } from '../../src/registry/hosts/resolve.ts'

const { signal } = new AbortController()

/** Answers each record type with this content, or with an HTTP status. */
function service(answers: Record<string, unknown>) {
  const asked: { url: URL; init: RequestInit }[] = []
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const url = new URL(String(input))
    asked.push({ url, init })
    const answer = answers[url.searchParams.get('type')!]
    return typeof answer === 'number'
      ? new Response('{"Status":0}', { status: answer })
      : new Response(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }
  return { asked, resolve: dnsOverHttps(fetch as typeof globalThis.fetch) }
}

const record = (type: number, data: string) => ({ name: 'db.example.com', type, TTL: 60, data })

test('requests both kinds of addresses, and leaves out the aliases on the way', async () => {
  const { asked, resolve } = service({
    A: { Status: 0, TC: false, Answer: [record(5, 'x.example.net.'), record(1, '93.184.215.14')] },
    AAAA: { Status: 0, Answer: [record(5, 'x.example.net.'), record(28, '2606:4700::1')] },
  })
  expect(await resolve('db.example.com', signal)).toEqual(['93.184.215.14', '2606:4700::1'])
  expect(asked.map(({ url }) => url.href)).toEqual([
    'https://cloudflare-dns.com/dns-query?name=db.example.com&type=A',
    'https://cloudflare-dns.com/dns-query?name=db.example.com&type=AAAA',
  ])
  for (const { init } of asked) {
    expect(init.headers).toEqual({ accept: 'application/dns-json' })
    expect(init.redirect).toBe('manual')
    expect(init.signal).toBe(signal)
  }
})

test('a name can have one kind of address, no address, or not exist', async () => {
  const four = { Status: 0, Answer: [record(1, '93.184.215.14')] }
  const empty = { Status: 0, Authority: [record(6, 'ns.example.com.')] }
  expect(await service({ A: four, AAAA: empty }).resolve('a.b', signal)).toEqual(['93.184.215.14'])
  expect(await service({ A: empty, AAAA: empty }).resolve('a.b', signal)).toEqual([])
  expect(await service({ A: { Status: 3 }, AAAA: { Status: 3 } }).resolve('a.b', signal)).toEqual(
    [],
  )
})

test.each([
  ['one kind fails', { Status: 2 }],
  ['one kind is refused', { Status: 5 }],
  ['a response is cut', { Status: 0, TC: true, Answer: [record(28, '2606:4700::1')] }],
  ['the service fails', 503],
  ['the service redirects', 302],
  ['a response is not JSON', '<html>'],
  ['a response has another form', { Answer: [] }],
  ['a record has another form', { Status: 0, Answer: [{ type: 28, data: 7 }] }],
])('fails if %s', async (_, AAAA) => {
  const A = { Status: 0, Answer: [record(1, '93.184.215.14')] }
  await expect(service({ A, AAAA }).resolve('db.example.com', signal)).rejects.toThrow()
})
