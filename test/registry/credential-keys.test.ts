import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { fromBase64Url, toBase64Url } from '../../src/mcp/index.ts'
import {
  credentialKeys,
  type SealedCredential,
  secretProblem,
} from '../../src/registry/keys/credential-keys.ts'

const OLD = 'lWm3Zp0S1b8w7kqv4xYtR2cN6dJfHgQe'
const NEW = 'q9VxT2mK8rLs5nBd7yWc3gJf6hPz1uEa='
const THIRD = 'Zk4Rj8Tw2Qm6Xp1Vb9Nc5Ly7Hs3Df0Ga'
const CREDENTIAL = 'postgres://app:hunter2@db.example.com/shop'

const keys = (secret: string, previous?: string) =>
  credentialKeys({ TIDEGATE_SECRET: secret, TIDEGATE_SECRET_PREVIOUS: previous })

/** The same bytes except for one bit. */
function flipped(text: string, at: number): string {
  const bytes = fromBase64Url(text)
  bytes[at]! ^= 1 << (at % 8)
  return toBase64Url(bytes)
}

describe('a credential', () => {
  test('opens to the string that was sealed, whatever it is', async () => {
    const { seal, open } = keys(NEW)
    const text = fc.string({ unit: 'binary', maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(text, text, async (credential, bound) => {
        expect(await open(await seal(credential, bound), bound)).toBe(credential.toWellFormed())
      }),
    )
    for (const credential of ['', '\uFEFFurl', 'pässwörd 🔑', 'x'.repeat(100_000)]) {
      expect(await open(await seal(credential, 'shop/main'), 'shop/main')).toBe(credential)
    }
  })

  test('opens in another isolate, which derives the same keys', async () => {
    const sealed = JSON.parse(JSON.stringify(await keys(NEW).seal(CREDENTIAL, 'shop/main')))
    expect(await keys(NEW).open(sealed, 'shop/main')).toBe(CREDENTIAL)
  })

  test('that was stored by an earlier version opens in every later version', async () => {
    const stored = {
      keyId: 'nddz5Nt0TP63',
      iv: 'm1bCbpMNAFH0up3g',
      text: 'DTMNZDY9N1zgnRhmezp-ucyEmn1jfU3i4rq_6opc6DfC82pKRyWHAkdS7iyoOro33_sqF-W1IaccHA',
    }
    expect(await keys(NEW).open(stored, 'shop/main')).toBe(CREDENTIAL)
    expect(await keys(OLD, NEW).open(stored, 'shop/main')).toBe(CREDENTIAL)
  })

  test('is stored as three short URL-safe strings, and never the same twice', async () => {
    const { seal } = keys(NEW)
    const all = await Promise.all(Array.from({ length: 50 }, () => seal(CREDENTIAL, 'shop/main')))
    for (const sealed of all) {
      expect(Object.keys(sealed)).toEqual(['keyId', 'iv', 'text'])
      expect(sealed.keyId).toMatch(/^[\w-]{12}$/)
      expect(sealed.iv).toMatch(/^[\w-]{16}$/)
      expect(sealed.text).toMatch(/^[\w-]+$/)
      expect(JSON.stringify(sealed)).not.toMatch(/hunter2|postgres|db\.example/)
    }
    expect(new Set(all.map(({ iv }) => iv)).size).toBe(50)
    expect(new Set(all.map(({ text }) => text)).size).toBe(50)
    expect(new Set(all.map(({ keyId }) => keyId)).size).toBe(1)
  })

  test('opens only for the purpose for which it was sealed', async () => {
    const { seal, open } = keys(NEW)
    const sealed = await seal(CREDENTIAL, 'shop/main')
    for (const bound of ['shop/other', 'shop/mai', 'shop/main ', 'Shop/main', '', 'shop']) {
      expect(await open(sealed, bound)).toBeUndefined()
    }
  })

  test.each(['iv', 'text'] as const)(
    'with one bit of its %s changed does not open',
    async (part) => {
      const { seal, open } = keys(NEW)
      const sealed = await seal(CREDENTIAL, 'shop/main')
      const { length } = fromBase64Url(sealed[part])
      expect(length).toBe(part === 'iv' ? 12 : CREDENTIAL.length + 16)
      for (let at = 0; at < length; at++) {
        const changed = { ...sealed, [part]: flipped(sealed[part], at) }
        expect(await open(changed, 'shop/main')).toBeUndefined()
      }
    },
  )

  test('that is cut, extended or combined from two credentials does not open', async () => {
    const { seal, open } = keys(NEW)
    const [one, two] = [await seal('one', 'shop/main'), await seal('two', 'shop/main')]
    const broken = [
      { ...one, text: two.text },
      { ...one, iv: two.iv },
      { ...one, text: one.text.slice(0, -4) },
      { ...one, text: `${one.text}AAAA` },
      { ...one, text: '' },
      { ...one, iv: '' },
      { ...one, iv: `${one.iv}AAAA` },
      { ...one, keyId: '' },
      { ...one, keyId: one.keyId.slice(0, -1) },
    ]
    for (const sealed of broken) expect(await open(sealed, 'shop/main')).toBeUndefined()
  })

  test('that is invalid does not open, and throws no error', async () => {
    const { seal, open, isCurrent } = keys(NEW)
    const { keyId } = await seal(CREDENTIAL, 'shop/main')
    const strange = [
      {},
      { keyId },
      { keyId, iv: 7, text: [] },
      { keyId, iv: null, text: null },
      { keyId, iv: '*'.repeat(16), text: '🔑' },
      { keyId: '__proto__', iv: 'AAAAAAAAAAAAAAAA', text: 'AAAA' },
      { keyId: { toString: () => keyId }, iv: 'AAAAAAAAAAAAAAAA', text: 'AAAA' },
      { keyId, iv: 'AAAAAAAAAAAAAAAA', text: 'A'.repeat(1_000_000) },
    ]
    for (const it of strange) {
      const sealed = it as unknown as SealedCredential
      expect(await open(sealed, 'shop/main')).toBeUndefined()
      expect(await isCurrent(sealed)).toBe('keyId' in it && it.keyId === keyId)
    }
  })
})

describe('a rotation', () => {
  test('opens with the previous secret, says so, and seals with the new secret', async () => {
    const sealed = await keys(OLD).seal(CREDENTIAL, 'shop/main')
    const rotating = keys(NEW, OLD)
    expect(await rotating.open(sealed, 'shop/main')).toBe(CREDENTIAL)
    expect(await rotating.isCurrent(sealed)).toBe(false)

    const anew = await rotating.seal(CREDENTIAL, 'shop/main')
    expect(await rotating.isCurrent(anew)).toBe(true)
    expect(await rotating.open(anew, 'shop/main')).toBe(CREDENTIAL)
    expect(await keys(NEW).open(anew, 'shop/main')).toBe(CREDENTIAL)
    expect(await keys(OLD).open(anew, 'shop/main')).toBeUndefined()
  })

  test('can be undone, by making the new secret the previous secret', async () => {
    const anew = await keys(NEW, OLD).seal(CREDENTIAL, 'shop/main')
    const back = keys(OLD, NEW)
    expect(await back.open(anew, 'shop/main')).toBe(CREDENTIAL)
    expect(await back.isCurrent(anew)).toBe(false)
  })

  test('that drops the previous secret can no longer open its credentials', async () => {
    const sealed = await keys(OLD).seal(CREDENTIAL, 'shop/main')
    for (const later of [keys(NEW), keys(NEW, ''), keys(THIRD, NEW)]) {
      expect(await later.open(sealed, 'shop/main')).toBeUndefined()
      expect(await later.isCurrent(sealed)).toBe(false)
    }
  })

  test('still binds credentials sealed with the previous secret to their purpose', async () => {
    const sealed = await keys(OLD).seal(CREDENTIAL, 'shop/main')
    expect(await keys(NEW, OLD).open(sealed, 'shop/other')).toBeUndefined()
  })

  test('that keeps the same secret changes nothing', async () => {
    const sealed = await keys(NEW).seal(CREDENTIAL, 'shop/main')
    expect(await keys(NEW, NEW).open(sealed, 'shop/main')).toBe(CREDENTIAL)
    expect(await keys(NEW, NEW).isCurrent(sealed)).toBe(true)
  })
})

describe('a key', () => {
  test('is derived once, and again only if that failed', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey')
    try {
      derive.mockRejectedValueOnce(new Error('busy'))
      const { seal, open } = keys(NEW)
      await expect(seal(CREDENTIAL, 'shop/main')).rejects.toThrow('busy')
      const sealed = await seal(CREDENTIAL, 'shop/main')
      await Promise.all([open(sealed, 'shop/main'), seal('', ''), open(sealed, 'x')])
      expect(derive).toHaveBeenCalledTimes(2)
    } finally {
      derive.mockRestore()
    }
  })

  test('cannot be exported', async () => {
    const derive = vi.spyOn(crypto.subtle, 'deriveKey')
    try {
      await keys(NEW).seal(CREDENTIAL, 'shop/main')
      const key = (await derive.mock.results[0]!.value) as CryptoKey
      expect(key.extractable).toBe(false)
    } finally {
      derive.mockRestore()
    }
  })

  test('has an ID that differs from secret to secret', async () => {
    const ids = await Promise.all(
      [OLD, NEW, THIRD].map(async (it) => (await keys(it).seal('', '')).keyId),
    )
    expect(new Set(ids).size).toBe(3)
  })
})

describe('a secret', () => {
  test.each([
    undefined,
    '',
    'short',
    NEW.slice(0, 31),
    'a'.repeat(64),
    'changemechangemechangemechangeme',
    '12345671234567123456712345671234567',
  ])('%j is refused, with the command that creates a secret', (secret) => {
    const problem = secretProblem(secret)
    expect(problem).toContain('openssl rand -base64 32')
    if (secret) expect(problem).not.toContain(secret)
    expect(() => credentialKeys({ TIDEGATE_SECRET: secret })).toThrow(problem!)
  })

  test('that the command created is accepted', () => {
    for (let i = 0; i < 200; i++) {
      const bytes = crypto.getRandomValues(new Uint8Array(32))
      expect(secretProblem(btoa(String.fromCharCode(...bytes)))).toBeUndefined()
    }
  })

  test('and the credential that it seals reach no log line and no property', async () => {
    const log = (['log', 'info', 'warn', 'error', 'debug'] as const).map((it) =>
      vi.spyOn(console, it),
    )
    const made = keys(NEW, OLD)
    const sealed = await made.seal(CREDENTIAL, 'shop/main')
    await made.open({ ...sealed, text: 'AAAA' }, 'shop/main')
    await made.open(sealed, 'shop/other')
    expect(log.flatMap(({ mock }) => mock.calls)).toEqual([])
    expect(JSON.stringify([made, sealed])).not.toMatch(/hunter2|q9VxT2mK|lWm3Zp0S/)
    for (const it of log) it.mockRestore()
  })
})
