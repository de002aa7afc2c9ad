import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Tries } from '../../../src/auth/server/tries.ts'

const MINUTE = 60_000

/** The storage of an object. */
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

test('a network has ten in a quarter of an hour', () => {
  fail(9, 'a')
  expect(tries.waitOf('a')).toBe(0)
  vi.advanceTimersByTime(5 * MINUTE)
  fail(1, 'a')
  expect(tries.waitOf('a')).toBe(10 * MINUTE)
  expect(tries.waitOf('b')).toBe(0)
  vi.advanceTimersByTime(10 * MINUTE)
  expect(tries.waitOf('a')).toBe(0)
})

test('what succeeds is forgotten, and nothing else', () => {
  fail(9, 'a')
  const last = tries.begin('a', true)
  expect(tries.waitOf('a')).toBeGreaterThan(0)
  last.succeeded()
  expect(tries.waitOf('a')).toBe(0)
  fail(1, 'a')
  expect(tries.waitOf('a')).toBeGreaterThan(0)
})

test('all networks together have three hundred passphrases in an hour', () => {
  for (let i = 0; i < 299; i++) fail(1, `network ${i}`)
  expect(tries.waitOfAll()).toBe(0)
  fail(1, 'one more')
  expect(tries.waitOfAll()).toBe(60 * MINUTE)
  vi.advanceTimersByTime(60 * MINUTE)
  expect(tries.waitOfAll()).toBe(0)
})

test('codes count for their network alone', () => {
  for (let i = 0; i < 400; i++) fail(1, `network ${i}`, false)
  expect(tries.waitOfAll()).toBe(0)
  fail(10, 'a', false)
  expect(tries.waitOf('a')).toBeGreaterThan(0)
})

test('an eviction of the object forgets none', () => {
  fail(10, 'a')
  expect(new Tries(sql).waitOf('a')).toBeGreaterThan(0)
})

test('who tried is forgotten after an hour', () => {
  const count = () => sql.exec<{ n: number }>('select count(*) as n from tries').one().n
  fail(5, 'a')
  vi.advanceTimersByTime(60 * MINUTE)
  tries.sweep()
  expect(count()).toBe(0)
})

test('at most twenty thousand are kept', () => {
  for (let i = 0; i < 20_050; i++) tries.begin(`network ${i}`, false)
  expect(sql.exec<{ n: number }>('select count(*) as n from tries').one().n).toBe(20_000)
})

test('codes that many networks make up buy nobody more passphrases', () => {
  fail(300, 'a')
  for (let i = 0; i < 20_000; i++) fail(1, `network ${i}`, false)
  expect(tries.waitOfAll()).toBeGreaterThan(0)
  expect(tries.waitOf('a')).toBeGreaterThan(0)
  const [row] = sql.exec<{ n: number }>('select count(*) as n from tries').toArray()
  expect(row!.n).toBeLessThanOrEqual(20_300)
})
