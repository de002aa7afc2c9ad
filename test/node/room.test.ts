import { afterEach, beforeEach, expect, test } from 'vitest'
import { Alarms } from '../../src/node/objects/alarms.ts'
import { ObjectsFile } from '../../src/node/objects/room.ts'
import { openState, type StateFile } from '../../src/node/objects/state-file.ts'

const MAX_BYTES = 1_000_000

let state: StateFile
let room: ObjectsFile
/** The callers whose objects are in use, so their data has to stay. */
let busy: Set<string>
let bytesOf: Map<string, number>
let made = 0

beforeEach(() => {
  state = openState(undefined)
  // Alarms create a table in the database, which the room reads.
  new Alarms(state.database, async () => {})
  busy = new Set()
  bytesOf = new Map()
  room = new ObjectsFile(state.database, MAX_BYTES, (name) => {
    if (busy.has(name.slice(-8))) return false
    bytesOf.delete(name)
    room.freed(name)
    return true
  })
})
afterEach(() => state.close())

const [LARGE, MIDDLE, SMALL] = ['aaaaaaaa', 'bbbbbbbb', 'cccccccc'] as const

/** Writes objects of one caller, each with this many bytes. */
function write(caller: string, objects: number, bytes: number): void {
  for (let i = 0; i < objects; i++) {
    const name = `SESSIONS:${String(made++).padStart(24, '0')}${caller}`
    bytesOf.set(name, bytes)
    room.changed(name, undefined, bytes - 128)
  }
}

const left = (caller: string) => [...bytesOf.keys()].filter((it) => it.endsWith(caller)).length
const total = () => [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0)

test('only the caller with the most data loses data to make room', () => {
  write(LARGE, 96, 10_000)
  write(MIDDLE, 20, 1_000)
  write(SMALL, 21, 1_000)
  expect([left(MIDDLE), left(SMALL)]).toEqual([20, 21])
  expect(total()).toBeLessThanOrEqual(MAX_BYTES)
})

test('if the data of the largest caller has to stay, the others share the loss', () => {
  busy.add(LARGE)
  write(LARGE, 97, 10_000)
  write(MIDDLE, 15, 1_000)
  write(SMALL, 5, 1_000)
  // There are 3,000 bytes too many, which the larger of the two loses.
  write(SMALL, 13, 1_000)
  expect(total()).toBeLessThanOrEqual(MAX_BYTES)
  expect(left(LARGE)).toBe(97)
  expect(left(MIDDLE) + left(SMALL)).toBeGreaterThanOrEqual(28)
  expect(left(MIDDLE)).toBeGreaterThanOrEqual(13)
})

test('if the data that has to stay needs all the room, the rest is deleted', () => {
  write(SMALL, 5, 1_000)
  busy.add(LARGE)
  write(LARGE, 101, 10_000)
  expect([left(LARGE), left(SMALL)]).toEqual([101, 0])
})

test('if no data can be deleted, all of it stays', () => {
  for (const caller of [LARGE, MIDDLE, SMALL]) busy.add(caller)
  for (const caller of [LARGE, MIDDLE, SMALL]) write(caller, 50, 10_000)
  expect(total()).toBe(1_500_000)
})
