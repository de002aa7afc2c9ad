import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { ByteBudget } from '../../../src/database/transport/byte-budget.ts'

const MIB = 1024 * 1024

/** Waits until a stream has emitted the data that was written to it. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the byte budget of an answer', () => {
  test.each([
    ['twice its limit plus 1 MiB', 1_000_000, 2_000_000 + MIB],
    ['at most 10 MiB', 1e9, 10 * MIB],
  ])('is %s', async (_, maxBytes, most) => {
    const budget = new ByteBudget({ maxBytes })
    const stream = new PassThrough({ highWaterMark: 2 * most })
    budget.watch(stream)
    stream.write(Buffer.alloc(most))
    await turn()
    expect(budget.isSpent).toBe(false)
    stream.write(Buffer.alloc(1))
    await budget.spent
    expect(budget.isSpent).toBe(true)
    expect(stream.listenerCount('data')).toBe(0)
    expect(stream.destroyed).toBe(false)
  })

  test('counts all its streams together', async () => {
    const budget = new ByteBudget({ maxBytes: 0 })
    const streams = [new PassThrough(), new PassThrough()]
    for (const stream of streams) budget.watch(stream)
    for (const stream of streams) stream.write(Buffer.alloc(MIB))
    await budget.spent
    expect(streams.map((it) => it.listenerCount('data'))).toEqual([0, 0])
  })

  test('counts each answer separately, in order', async () => {
    const budget = new ByteBudget({ maxBytes: 0 })
    const stream = new PassThrough({ highWaterMark: 4 * MIB })
    budget.watch(stream)
    const bring = async (bytes: number) => {
      stream.write(Buffer.alloc(bytes))
      await turn()
    }
    const [first, second] = [0, 0].map((maxBytes) => budget.expect({ maxBytes }))
    await bring(MIB)
    expect(budget.isSpent).toBe(false)
    budget.came(first!)
    await bring(MIB)
    expect(budget.isSpent).toBe(false)
    await bring(1)
    expect(budget.spentBy).toBe(second)
  })

  test('stops the stream once a reader has enough', async () => {
    const budget = new ByteBudget({ maxBytes: 1_000 })
    const stream = new PassThrough()
    let read = 0
    budget.watch(stream)
    stream.on('data', ({ length }: Buffer) => {
      read += length
      budget.spend()
    })
    stream.write(Buffer.alloc(10))
    await budget.spent
    stream.write(Buffer.alloc(10))
    await turn()
    expect(read).toBe(10)
  })
})
