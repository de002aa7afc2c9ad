import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Tries } from '../../../src/auth/server/tries.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const MINUTE = 60_000

/** An object's storage. */
function storage(): SqlStorage {
  const database = new DatabaseSync(':memory:')
  const exec = (sql: string, ...bound: SQLInputValue[]) => {
    const rows = database.prepare(sql).all(...bound)
    return Object.assign(rows.values(), { one: () => rows[0], toArray: () => rows })
  }
  return { exec } as unknown as SqlStorage
}

let sql: SqlStorage
let tries: Tries
beforeEach(() => {
  vi.useFakeTimers()
  sql = storage()
  tries = new Tries(sql)
})
afterEach(() => {
  vi.useRealTimers()
})

const fail = (times: number, network: string, isPassphrase = true) => {
  for (let i = 0; i < times; i++) tries.begin(network, isPassphrase)
}

test('a network gets ten tries in a quarter of an hour', () => {
  fail(9, 'a')
  expect(tries.waitOf('a')).toBe(0)
  vi.advanceTimersByTime(5 * MINUTE)
  fail(1, 'a')
  expect(tries.waitOf('a')).toBe(10 * MINUTE)
  expect(tries.waitOf('b')).toBe(0)
  vi.advanceTimersByTime(10 * MINUTE)
  expect(tries.waitOf('a')).toBe(0)
})

test('a /48 or a /24 gets fifty tries, however many networks it has', () => {
  for (const site of ['2001:db8:1:', '192.0.2.']) {
    for (let i = 0; i < 49; i++) fail(1, `${site}${i}`)
    expect(tries.waitOf(`${site}a`)).toBe(0)
    fail(1, `${site}50`)
    expect(tries.waitOf(`${site}a`)).toBe(15 * MINUTE)
  }
  expect(tries.waitOf('2001:db8:2:0')).toBe(0)
  expect(tries.waitOf('192.0.20.1')).toBe(0)
})

test('only a successful try is forgotten', () => {
  fail(9, 'a')
  const last = tries.begin('a', true)
  expect(tries.waitOf('a')).toBeGreaterThan(0)
  last.succeeded()
  expect(tries.waitOf('a')).toBe(0)
  fail(1, 'a')
  expect(tries.waitOf('a')).toBeGreaterThan(0)
})

test('all networks together get three hundred passphrase tries in an hour', () => {
  for (let i = 0; i < 299; i++) fail(1, `network ${i}`)
  expect(tries.waitOfAll()).toBe(0)
  fail(1, 'one more')
  expect(tries.waitOfAll()).toBe(60 * MINUTE)
  vi.advanceTimersByTime(60 * MINUTE)
  expect(tries.waitOfAll()).toBe(0)
})

test('codes count only for their own network', () => {
  for (let i = 0; i < 400; i++) fail(1, `network ${i}`, false)
  expect(tries.waitOfAll()).toBe(0)
  fail(10, 'a', false)
  expect(tries.waitOf('a')).toBeGreaterThan(0)
})

test('no try is forgotten when the object is evicted', () => {
  fail(10, 'a')
  expect(new Tries(sql).waitOf('a')).toBeGreaterThan(0)
})

test('tries are deleted after an hour', () => {
  const count = () => sql.exec<{ n: number }>('select count(*) as n from tries').one().n
  fail(5, 'a')
  vi.advanceTimersByTime(60 * MINUTE)
  tries.sweep()
  expect(count()).toBe(0)
})

test('at most twenty thousand tries are kept', () => {
  for (let i = 0; i < 20_050; i++) tries.begin(`network ${i}`, false)
  expect(sql.exec<{ n: number }>('select count(*) as n from tries').one().n).toBe(20_000)
})

test('invented codes from many networks give nobody more passphrase tries', () => {
  fail(300, 'a')
  for (let i = 0; i < 20_000; i++) fail(1, `network ${i}`, false)
  expect(tries.waitOfAll()).toBeGreaterThan(0)
  expect(tries.waitOf('a')).toBeGreaterThan(0)
  const [row] = sql.exec<{ n: number }>('select count(*) as n from tries').toArray()
  expect(row!.n).toBeLessThanOrEqual(20_300)
})
