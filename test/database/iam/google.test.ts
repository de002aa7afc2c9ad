import { afterEach, describe, expect, test, vi } from 'vitest'
import { tokenLogin, withPassword } from '../../../src/database/iam/token-login.ts'
import { googleTokens, serviceAccount } from '../../servers/google-token.ts'
import { failure, MARKER } from '../../support/failure.ts'

afterEach(() => vi.useRealTimers())

const HOST = 'db.example.com'
const never = new AbortController().signal

/** Requests a token for a database, as each login does. */
const ask = (
  bindings: Record<string, unknown>,
  send: typeof fetch,
  { host = HOST, auth = 'cloudsql-iam', more = '', signal = never } = {},
) => {
  const params = new URLSearchParams(`auth=${auth}${more}`)
  const token = tokenLogin(params, { host, port: 5432, user: 'reader', password: '' })
  const io = { fetch: send, bindings }
  return withPassword({ password: '', token }, io, signal).then(({ password }) => password)
}

const secretsOf = ({ file }: { file: string }, hosts = HOST) => ({
  GOOGLE_SERVICE_ACCOUNT_KEY: file,
  GOOGLE_IAM_HOSTS: hosts,
})

describe('a Google token', () => {
  test('is cached for each key and scope until shortly before it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [one, other] = [serviceAccount(), serviceAccount()]
    const google = googleTokens([one, other])
    const bindings = { ...secretsOf(one), OTHER_GOOGLE_SERVICE_ACCOUNT_KEY: other.file }
    const first = await ask(bindings, google.fetch)
    expect(await ask(bindings, google.fetch)).toBe(first)
    expect(google.gave(first, one.email, 'https://www.googleapis.com/auth/sqlservice.login')).toBe(
      true,
    )

    const alloydb = await ask(bindings, google.fetch, { auth: 'alloydb-iam' })
    expect(google.gave(alloydb, one.email, 'https://www.googleapis.com/auth/alloydb.login')).toBe(
      true,
    )
    const second = await ask(bindings, google.fetch, { more: '&credentials=OTHER' })
    expect(
      google.gave(second, other.email, 'https://www.googleapis.com/auth/sqlservice.login'),
    ).toBe(true)
    expect(google.answers).toHaveLength(3)

    vi.setSystemTime(Date.now() + 54 * 60_000)
    expect(await ask(bindings, google.fetch)).toBe(first)
    vi.setSystemTime(Date.now() + 60_000)
    expect(await ask(bindings, google.fetch)).not.toBe(first)

    const brief = serviceAccount()
    const soon = googleTokens([brief], 400)
    const token = await ask(secretsOf(brief), soon.fetch)
    vi.setSystemTime(Date.now() + 99_000)
    expect(await ask(secretsOf(brief), soon.fetch)).toBe(token)
    vi.setSystemTime(Date.now() + 1_000)
    expect(await ask(secretsOf(brief), soon.fetch)).not.toBe(token)
  })

  test('is requested only for hosts that the deployment allows', async () => {
    const account = serviceAccount()
    const google = googleTokens([account])
    const hosts = 'db.example.com, *.Sql.Goog\n10.0.0.5'
    for (const host of ['db.example.com', 'DB.example.com', 'a.b.sql.goog', '10.0.0.5']) {
      await ask(secretsOf(account, hosts), google.fetch, { host })
    }
    expect(google.answers).toEqual(['200 '])
    for (const [host, list] of [
      ['collector.example', hosts],
      ['sql.goog', hosts],
      ['asql.goog', hosts],
      ['db.example.com.collector.example', hosts],
      ['db.example.com', ''],
      ['db.example.com', '*'],
      ['db.example.com', undefined],
    ] as const) {
      const bindings = { ...secretsOf(account), GOOGLE_IAM_HOSTS: list }
      const error = await failure(ask(bindings, google.fetch, { host }))
      expect(error).toMatchObject({
        kind: 'config',
        message: 'This deployment does not allow a Google token for the host of this database.',
        hint: expect.stringContaining('GOOGLE_IAM_HOSTS'),
      })
      expect(error.message + error.hint).not.toContain(host)
    }
    expect(google.answers).toEqual(['200 '])
  })

  test('is not requested with an invalid key, which the error does not repeat', async () => {
    const google = googleTokens([])
    const { file } = serviceAccount()
    const broken = JSON.stringify({ ...JSON.parse(file), private_key: `-----BEGIN ${MARKER}` })
    const { private_key: _, ...without } = JSON.parse(file)
    for (const it of [MARKER, '[]', 'null', broken, JSON.stringify(without)]) {
      const error = await failure(ask(secretsOf({ file: it }), google.fetch))
      expect(error).toMatchObject({
        kind: 'config',
        message: expect.stringMatching(
          /The secret GOOGLE_SERVICE_ACCOUNT_KEY in this deployment is not a service account key/,
        ),
      })
    }
    const error = await failure(ask({ GOOGLE_IAM_HOSTS: HOST }, google.fetch))
    expect(error.message).toMatch(/^This deployment has no secret GOOGLE_SERVICE_ACCOUNT_KEY/)
    expect(google.answers).toEqual([])
  })

  test('causes a configuration error if Google refuses the key', async () => {
    const account = serviceAccount()
    const google = googleTokens([{ ...account, publicKey: serviceAccount().publicKey }])
    const error = await failure(ask(secretsOf(account), google.fetch))
    expect(google.answers).toEqual(['400 Invalid JWT Signature.'])
    expect(error).toMatchObject({
      kind: 'config',
      code: 'invalid_grant',
      message: expect.stringMatching(/^Google refuses the key/),
    })
  })

  test.each([
    ['a redirect', () => Response.redirect(`https://collector.example/${MARKER}`)],
    ['an error', () => new Response(MARKER, { status: 503 })],
    ['text that is not JSON', () => new Response(MARKER)],
    ['an invalid token', () => Response.json({ access_token: `a\n${MARKER}` })],
    ['a token that is too long', () => Response.json({ access_token: 'a'.repeat(9_000) })],
    ['an endless answer', () => new Response(endless())],
    ['a network error', () => Promise.reject(new TypeError(`fetch failed: ${MARKER}`))],
  ])('cannot be read from %s', async (_, answer) => {
    const sent: RequestInit[] = []
    const send = (async (_url, init) => {
      sent.push(init!)
      return answer()
    }) as typeof fetch
    const error = await failure(ask(secretsOf(serviceAccount()), send))
    expect(error).toMatchObject({
      kind: 'network',
      message: 'Google did not return a token for the database login. Try again later.',
    })
    expect(sent).toEqual([expect.objectContaining({ redirect: 'manual', method: 'POST' })])
  })

  test('is not awaited after the caller aborts', async () => {
    const caller = new AbortController()
    const send = ((_url, init) =>
      new Promise((_, reject) => {
        init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason))
        caller.abort()
      })) as typeof fetch
    const work = ask(secretsOf(serviceAccount()), send, { signal: caller.signal })
    expect((await failure(work)).kind).toBe('network')
  })
})

const endless = () =>
  new ReadableStream({
    type: 'bytes',
    pull: (controller) => controller.enqueue(new Uint8Array(8_192).fill(32)),
  })
