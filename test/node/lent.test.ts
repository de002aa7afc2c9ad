import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'
import { askApi, operated } from '../support/registry-api.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidegate-lent-'))
const shop = join(folder, 'shop.sqlite')
const heard: string[] = []

/** An untrusted server, which asks every client for a plain-text password. */
const stranger = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (data) => {
    const text = data.toString('latin1')
    heard.push(text)
    if (text.startsWith('p')) socket.destroy()
    else socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]))
  })
})

const own = { PGPASSWORD: 'of-the-owner', PGHOST: '/var/run/postgresql', PGUSER: 'owner' }
let bounded: NodeWorker
let open: NodeWorker
let at = ''

beforeAll(async () => {
  const made = new DatabaseSync(shop)
  made.exec('create table orders (id integer)')
  made.close()
  await once(stranger.listen(0, '127.0.0.1'), 'listening')
  at = `127.0.0.1:${(stranger.address() as AddressInfo).port}`
  bounded = await startNodeWorker({
    ...operated,
    ...own,
    SHOP: `sqlite:${shop}`,
    DATABASE_SECRETS: 'SHOP NO_URL NOT_SET',
    NO_URL: 'no URL of a database',
    UNLISTED: `sqlite:${shop}`,
    AWS_SECRET_ACCESS_KEY: 'of-the-owner',
    PRIVATE_HOSTS: '127.0.0.1 localhost',
  })
  open = await startNodeWorker({ ...operated, ...own, PRIVATE_HOSTS: '*' })
})

afterAll(async () => {
  await Promise.all([bounded?.close(), open?.close()])
  stranger.close()
  rmSync(folder, { recursive: true, force: true })
})

let names = 0
/** The test result of an endpoint with this database URL. `heard` has what the untrusted server received. */
async function said(worker: NodeWorker, url: string): Promise<string> {
  heard.length = 0
  const name = `e${++names}`
  const body = { name, title: 'T', databases: { main: { url } } }
  const made = await askApi(worker, 'POST', '/api/endpoints', body)
  if (made.status !== 201) return JSON.stringify(made.json)
  return JSON.stringify((await askApi(worker, 'POST', `/api/endpoints/${name}/test`)).json)
}

test('a URL in the registry gets no password of the machine unless its owner allows every host', async () => {
  const url = `postgres://guest@${at}/db?sslmode=disable`
  await said(bounded, url)
  expect(heard.join()).toContain('guest')
  expect(heard.join()).not.toContain('of-the-owner')
  await said(open, url)
  expect(heard.join()).toContain('of-the-owner')
})

test('a setting in the registry allows private hosts, but no files, sockets or passwords', async () => {
  await askApi(bounded, 'PATCH', '/api/settings', { privateHosts: ['*'] })
  const file = join(folder, 'secret.pem')
  writeFileSync(file, 'no certificate')
  const answers = await Promise.all(
    [
      `postgres://guest@${at}/db?sslmode=disable&sslpassword=x`,
      `postgres://guest@${at}/db?sslrootcert=${file}`,
      `postgres://guest@${at}/db?passfile=${file}`,
      `postgres://guest@${at}/db?service=owner&servicefile=${file}`,
      'postgres:///db?host=/var/run/postgresql',
      'postgres://postgres@%2Fvar%2Frun%2Fpostgresql/postgres',
      'postgres://',
      `mysql://guest@${at}/db?ssl-ca=${file}`,
      'mysql://root@localhost/mysql?socket=/run/mysqld/mysqld.sock',
      `sqlite:${file}`,
      `file://${file}`,
    ].map((url) => said(bounded, url)),
  )
  for (const answer of answers)
    expect(answer).not.toMatch(/does not contain a|is not a SQLite|"ok":true/)
  expect(answers[9]).toContain('cannot refer to files')
  expect(heard.join()).not.toContain('of-the-owner')
})

test('an endpoint can use a file through a listed variable, or if the owner allows every host', async () => {
  expect(await said(bounded, 'secret:SHOP')).toContain('"ok":true')
  expect(await said(bounded, `sqlite:${shop}`)).toContain('cannot refer to files')
  expect(await said(open, `sqlite:${shop}`)).toContain('"ok":true')
})

test('the error for a secret name reveals nothing about the variables of the machine', async () => {
  const names = [
    'NOT_SET',
    'NO_URL',
    'UNLISTED',
    'AWS_SECRET_ACCESS_KEY',
    'PGPASSWORD',
    'PATH',
    'X',
  ]
  const answers = await Promise.all(
    names.map(async (it) =>
      (await said(bounded, `secret:${it}`)).replaceAll(it, 'NAME').replaceAll(/"e\d+"/g, '"e"'),
    ),
  )
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toContain(
    'The secret NAME is not set, does not hold a database URL, or is not allowed',
  )
  expect(answers[0]).not.toContain('of-the-owner')
})
