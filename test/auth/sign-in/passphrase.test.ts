import { describe, expect, test } from 'vitest'
import { faultOfPassphrase } from '../../../src/auth/sign-in/passphrase.ts'

const fault = (passphrase: string, more = {}) =>
  faultOfPassphrase({ TIDEGATE_PASSPHRASE: passphrase, ...more })

describe('a passphrase', () => {
  test.each([
    'seven otters guard the quiet harbor',
    'b6ZQ0YQk0i5sE2Jm9VwXq1Rd',
    'Fünf Boxkämpfer jagen Viktor',
    'my password is older than the moon',
    '水は低い方に流れる、門は静かに開く',
  ])('is strong: %s', (strong) => {
    expect(fault(strong)).toBeUndefined()
  })

  test.each([
    ['abcdefghijklmn', 'fewer than 15 characters'],
    ['   abcdefghijklmn   ', 'fewer than 15 characters'],
    ['🌊🌊🌊🌊🌊🌊🌊🌊', 'fewer than 15 characters'],
    ['aaaaaaaaaaaaaaaaaaaa', 'fewer than 8 different'],
    ['ababababcdcdcdcdefefefg', 'fewer than 8 different'],
    ['correct horse battery staple', 'tried first'],
    ['Correct-Horse-Battery-Staple1', 'tried first'],
    ['password12345678', 'tried first'],
    ['qwertyuiopasdfghjkl', 'tried first'],
    ['abcdefghijklmnopqrstuvwxyz', 'tried first'],
    ['12345678901234567890', 'tried first'],
    ['tidegate-passphrase-123', 'tried first'],
    ['changeme-changeme-2', 'tried first'],
    ['x'.repeat(1_001), 'more than 1000 characters'],
  ])('is too weak: %.40s', (weak, why) => {
    expect(fault(weak)).toContain(why)
    expect(fault(weak)).toContain('npx wrangler secret put TIDEGATE_PASSPHRASE')
    expect(fault(weak)).not.toContain(weak)
  })

  test('must differ from the other secrets', () => {
    const secret = 'fL9w0Q2cXv7yR4tB8nM1kZ5sD3gH6jPa'
    for (const name of ['TIDEGATE_KEY', 'TIDEGATE_SECRET', 'TIDEGATE_SECRET_PREVIOUS']) {
      expect(fault(secret, { [name]: secret })).toContain(`is the same as ${name}`)
    }
  })

  test('can be missing', () => {
    expect(faultOfPassphrase({})).toBeUndefined()
    expect(fault('')).toBeUndefined()
  })
})
