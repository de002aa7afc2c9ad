import { afterAll, describe, expect, test } from 'vitest'
import { locate } from '../../../src/database/index.ts'
import { recognise } from '../../../src/database/recognise.ts'
import { machineWith } from '../../../src/node/machine.ts'
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

describe('on a machine', () => {
  const machine = machineWith({})
  afterAll(() => machine.close())
  const SOCKET = '?host=%2Fvar%2Frun%2Fpostgresql'

  test.each([
    ['host=/var/run/postgresql dbname=shop', `postgres:///shop${SOCKET}`],
    ["host='/var/run/postgresql' user=reader dbname=shop", `postgres://reader@/shop${SOCKET}`],
    [
      'host=/var/run/postgresql port=5433 user=reader password=s3same dbname=shop',
      `postgres://reader:s3same@/shop${SOCKET}&port=5433`,
    ],
    [
      'host=/tmp,db.example.com port=1,2 user=reader dbname=shop',
      'postgres://reader@/shop?host=%2Ftmp%2Cdb.example.com&port=1%2C2',
    ],
    ['postgres:///shop?host=/var/run/postgresql&user=reader', `postgres://reader@/shop${SOCKET}`],
    ['psql -h /var/run/postgresql -U reader shop', `postgres://reader@/shop${SOCKET}`],
    [
      'PGHOST=/var/run/postgresql\nPGUSER=reader\nPGDATABASE=shop',
      `postgres://reader@/shop${SOCKET}`,
    ],
    [
      'mysql://reader@localhost/shop?unix_socket=/run/mysqld/mysqld.sock',
      'mysql://reader@localhost/shop?socket=%2Frun%2Fmysqld%2Fmysqld.sock',
    ],
  ])('a socket is a host: %s', async (text, url) => {
    const encryption = text.includes('example') ? 'required' : 'none'
    expect(await recognise(text, machine)).toMatchObject({ url, encryption })
    const refused = await recognise(text, machine.guest!([]))
    if (text.startsWith('mysql:')) return
    expect(refused).not.toHaveProperty('url')
    expect(refused).toMatchObject({
      sentence: expect.stringMatching(/refers to a socket.*DATABASE_URL/),
    })
    expect(JSON.stringify(refused)).not.toMatch(/Worker|s3same/)
  })

  test.each([
    ['/data/100%shop.db', 'sqlite:/data/100%25shop.db'],
    ['sqlite:///data/shop.sqlite', 'sqlite:///data/shop.sqlite'],
    ['jdbc:sqlite:shop.db', 'sqlite:shop.db'],
    ['DATABASE_URL=file:./shop.db', 'sqlite:./shop.db'],
  ])('a SQLite file is a database: %s', async (text, url) => {
    expect(await recognise(text, machine)).toMatchObject({ url, engine: 'SQLite' })
    const refused = await recognise(text, machine.guest!([]))
    expect(refused).toMatchObject({ sentence: expect.stringContaining('cannot refer to files') })
  })

  test.each([
    ['postgres://reader@db.example.com/shop', '?sslmode=verify-full&sslrootcert=ca.pem'],
    ['postgres://reader@db.example.com/shop', '?sslmode=require&channel_binding=require'],
    ['mysql://reader@db.example.com/shop', '?ssl-ca=ca.pem'],
    [`postgres://reader@shop.c9.eu-central-1.rds.amazonaws.com/shop`, '?sslmode=require'],
  ])('what it can do is kept, and nothing is said of Workers: %s%s', async (url, params) => {
    const found = await recognise(url + params, machine)
    expect(decodeURIComponent((found as { url: string }).url)).toBe(url + params)
    for (const it of [machine, machine.guest!([])]) {
      expect(JSON.stringify(await recognise(url + params, it))).not.toMatch(/Worker|Hyperdrive/)
    }
  })

  test('a host that is none needs a user, and one that is a socket none', async () => {
    const found = await recognise('host=db.example.com dbname=shop', machine)
    expect(found).toMatchObject({ part: 'user' })
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
