import { describe, expect, test } from 'vitest'
import { recognise } from '../../../src/database/connection-string/index.ts'
import { locate } from '../../../src/database/index.ts'
import * as corpus from './corpus.ts'

const { refused, ...read } = corpus
const all = Object.values(read).flat()

/** What a person reads of an answer: everything but the URL. */
const said = ({ url: _, ...rest }: Record<string, unknown>) => JSON.stringify(rest)

const titled = <Row extends readonly [string, unknown]>(rows: readonly Row[]) =>
  rows.map(([text, it]) => [JSON.stringify(text.slice(0, 100)), text, it] as const)

describe.each(Object.entries(read))('a text among %s', (_, rows) => {
  test.each(titled(rows))('ends in a URL: %s', async (_title, text, url) => {
    const found = await recognise(text as string)
    const name = expect.stringMatching(/^[a-z][a-z0-9_-]{0,30}$/)
    expect(found).toMatchObject({ url, suggested: { name } })
    // Each is what our own drivers take; bindings are not there.
    if (!/^\w+:\w*$/.test(url as string)) {
      await locate(url as string, { fetch, bindings: {} }).open()
    }
    expect(said(found as never)).not.toMatch(/s3same|p@ss|p%40ss|sbp_|eyJh/)
  })
})

describe('a text that cannot be used', () => {
  test.each(titled(refused))('ends in a sentence: %s', async (_title, text, says) => {
    const found = await recognise(text as string)
    expect(found).not.toHaveProperty('url')
    expect(found).toMatchObject({ sentence: expect.stringMatching(says as RegExp) })
    expect(JSON.stringify(found)).not.toContain('s3same')
  })
})

test('the texts are a hundred and more', () => {
  expect(all.length + refused.length).toBeGreaterThan(100)
})

test.each([
  ['mysql://reader:s3same@db.example.com/shop?ssl={"rejectUnauthorized":false}', 'always verifies'],
  ['mysql://reader:s3same@db.example.com/shop?tls=skip-verify', 'always verifies'],
  ['postgres://reader:s3same@db.example.com/shop?sslnegotiation=direct', 'sslnegotiation=direct'],
])('what a Worker cannot do is told: %s', async (text, says) => {
  expect(await recognise(text)).toMatchObject({
    hints: expect.arrayContaining([expect.stringContaining(says)]),
  })
})
