import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signInFaults } from '../../../src/auth/sign-in/faults.ts'
import { onNode } from '../../support/node-worker.ts'
import { operated } from '../../support/registry-api.ts'
import { Visitor } from '../../support/visitor.ts'
import { type RunningWorker, startWorker } from '../../support/worker.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

/** The command with which a page says to set a variable. */
const setting = (name: string) => (onNode ? `${name}=…` : `npx wrangler secret put ${name}`)

const operator = { authorization: `Bearer ${operated.TIDEGATE_KEY}` }

describe('a deployment without a sign-in', () => {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker(operated)
  })
  afterAll(() => worker?.close())

  test('shows a browser what to set and how, both deployed and on this machine', async () => {
    for (const path of ['/authorize', '/authorize?client_id=x', '/signin']) {
      const { status, words, headers } = await new Visitor(worker.url).open(path)
      expect([path, status]).toEqual([path, 404])
      expect(words).toContain(setting('TIDEGATE_PASSPHRASE'))
      expect(words).not.toContain(setting('TIDEGATE_SECRET'))
      if (!onNode) expect(words).toContain("TIDEGATE_PASSPHRASE='…' npm start")
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    }
  })

  test('returns 404 as JSON to programs', async () => {
    for (const path of ['/authorize', '/signin', '/signin/callback', '/signout']) {
      const answer = await fetch(worker.url + path, { headers: { accept: 'application/json' } })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      await answer.body?.cancel()
    }
  })

  test('lists every missing setting', async () => {
    const bare = await startWorker()
    const { words } = await new Visitor(bare.url).open('/signin')
    for (const name of ['TIDEGATE_PASSPHRASE', 'TIDEGATE_SECRET', 'TIDEGATE_KEY']) {
      expect(words).toContain(setting(name))
    }
    await bare.close()
  })

  test('tells a browser at an endpoint that it needs a key', async () => {
    const { words } = await new Visitor(worker.url).open('/mcp/shop')
    expect(words).toContain('It needs a key')
    expect(words).not.toContain('sign in')
  })
})

describe('a deployment with a weak passphrase', () => {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: 'password12345678' })
  })
  afterAll(() => worker?.close())

  test('lets nobody in, and says what to set', async () => {
    const visitor = new Visitor(worker.url)
    for (const path of ['/signin', '/authorize?client_id=x', '/signin/callback']) {
      const { status, words } = await visitor.open(path)
      expect([path, status]).toEqual([path, 503])
      expect(words).toContain('npx wrangler secret put TIDEGATE_PASSPHRASE')
    }
    const answer = await visitor.send('/signin', { passphrase: 'password12345678' })
    expect([answer.status, visitor.cookies.size]).toEqual([503, 0])
  })

  test('is reported to the operator by /doctor', async () => {
    const answer = await fetch(`${worker.url}/doctor`, { headers: operator })
    expect(answer.status).toBe(503)
    const text = await answer.text()
    expect(text).toContain('TIDEGATE_PASSPHRASE is little more than words that are tried first')
    expect(text).not.toContain('password12345678')
  })
})

describe('a deployment whose secret is too easy to guess', () => {
  test('signs nobody in, and says what to set', async () => {
    const passphrase = 'seven otters guard the quiet harbor'
    const secrets = { TIDEGATE_SECRET: 'short', TIDEGATE_PASSPHRASE: passphrase }
    const worker = await startWorker({ ...operated, ...secrets })
    const sentence = 'TIDEGATE_SECRET, which credentials and sign-ins are sealed with, is too easy'
    const { status, words } = await new Visitor(worker.url).open('/signin')
    expect([status, words]).toEqual([503, expect.stringContaining(sentence)])
    const token = await fetch(`${worker.url}/token`, { method: 'POST' })
    expect([token.status, await token.text()]).toEqual([503, expect.stringContaining(sentence)])
    const doctor = await fetch(`${worker.url}/doctor?hosts=no`, { headers: operator })
    expect([doctor.status, await doctor.text()]).toEqual([503, expect.stringContaining(sentence)])
    await worker.close()
  })
})

describe('an endpoint with a sign-in, in a browser', () => {
  test('says to paste its URL, and shows a command without a key', async () => {
    const passphrase = 'seven otters guard the quiet harbor'
    const worker = await startWorker({ ...operated, TIDEGATE_PASSPHRASE: passphrase })
    const { words } = await new Visitor(worker.url).open('/mcp/shop')
    expect(words).toContain('It asks you to sign in')
    expect(words).toContain('opens the browser so that you can sign in')
    expect(words).toContain(`tidegate ${worker.url}/mcp/shop Copy`)
    await worker.close()
  })
})

describe('sign-in settings', () => {
  const strong = { ...operated, TIDEGATE_PASSPHRASE: 'seven otters guard the quiet harbor' }
  const issuer = { SIGN_IN_ISSUER: 'https://id.example', SIGN_IN_CLIENT_ID: 'x' }

  test.each([
    ['none', {}],
    ['a passphrase', strong],
    ['days', { ...strong, SIGN_IN_DAYS: '30' }],
    ['a provider', { ...operated, ...issuer, SIGN_IN_ALLOW: '*@example.com' }],
    ['a provider with groups only', { ...operated, ...issuer }],
  ])('are valid: %s', (_, env) => {
    expect(signInFaults(env)).toEqual([])
  })

  test.each([
    ['a missing secret', { ...strong, TIDEGATE_SECRET: '' }, 'TIDEGATE_SECRET is not'],
    ['a missing key', { ...strong, TIDEGATE_KEY: '' }, 'TIDEGATE_KEY is not'],
    ['a weak passphrase', { ...operated, TIDEGATE_PASSPHRASE: 'x' }, 'fewer than 15 characters'],
    ['no client', { ...operated, SIGN_IN_ISSUER: 'https://a.example' }, 'SIGN_IN_CLIENT_ID is not'],
    ['no audience', { ...operated, ACCESS_TEAM: 'https://a.example' }, 'ACCESS_AUDIENCE is not'],
    ['days that are not a number', { ...strong, SIGN_IN_DAYS: '30 days' }, 'SIGN_IN_DAYS has to'],
    ['zero days', { ...strong, SIGN_IN_DAYS: '0' }, 'from 1 to 3650'],
    ['an invalid list', { ...operated, ...issuer, SIGN_IN_ALLOW: '*@' }, 'SIGN_IN_ALLOW has "*@"'],
  ])('have a fault with %s', (_, env, said) => {
    expect(signInFaults(env).join(' ')).toContain(said)
  })
})

test('a fault is reported if the people in OPERATORS have no way to sign in', () => {
  const [fault, ...more] = signInFaults({ OPERATORS: 'ada@example.com' })
  expect([fault, more]).toEqual([expect.stringContaining('there is no way to sign in'), []])
  expect(signInFaults({})).toEqual([])
})
