import { expect, test } from 'vitest'
import { Pool } from '../../../src/database/transport/pool.ts'

class Line {
  isOpen = true
  isHeld = true
  ended: boolean | undefined
  hold(process: boolean) {
    this.isHeld = process
  }
  async end(hurry: boolean) {
    this.isOpen = false
    this.ended = hurry
  }
}

const never = new AbortController().signal
const any = () => true
const open = async () => new Line()

test('lends the one that was used last, and keeps no process waiting for those that lie idle', async () => {
  const pool = new Pool<Line>()
  const [first, second] = [await pool.take(open, any, never), await pool.take(open, any, never)]
  expect([first.isNew, second.isNew, first.it === second.it]).toEqual([true, true, false])
  pool.giveBack(second.it)
  pool.giveBack(first.it)
  expect(first.it.isHeld).toBe(false)
  const again = await pool.take(open, any, never)
  expect(again).toEqual({ it: first.it, isNew: false })
  expect(again.it.isHeld).toBe(true)
})

test('lends no more than its size at once, in the order in which it was asked', async () => {
  const pool = new Pool<Line>({ size: 1 })
  const { it } = await pool.take(open, any, never)
  const order: number[] = []
  const leaving = new AbortController()
  const left = pool.take(open, any, leaving.signal).catch((error) => error)
  const [one, two] = [1, 2].map(async (n) => {
    const lent = await pool.take(open, any, never)
    order.push(n)
    return lent
  })
  leaving.abort(new Error('gone'))
  expect(await left).toMatchObject({ message: 'gone' })
  expect(order).toEqual([])
  pool.giveBack(it)
  expect((await one)!.it).toBe(it)
  expect(order).toEqual([1])
  pool.giveBack(it)
  expect((await two)!.it).toBe(it)
})

test('lends one more to a call that has one, and none to others until both are back', async () => {
  const pool = new Pool<Line>({ size: 1 })
  const { it } = await pool.take(open, any, never)
  const more = await pool.take(open, any, never, true)
  expect(more.isNew).toBe(true)
  let isLent = false
  const other = pool.take(open, any, never).then(() => {
    isLent = true
  })
  pool.giveBack(more.it)
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(isLent).toBe(false)
  pool.giveBack(it)
  await other
  expect(it.isOpen).toBe(true)
})

test('keeps fewer than it lends', async () => {
  const pool = new Pool<Line>({ kept: 1 })
  const [one, two] = [await pool.take(open, any, never), await pool.take(open, any, never)]
  pool.giveBack(one.it)
  pool.giveBack(two.it)
  expect([one.it.ended, two.it.ended]).toEqual([undefined, false])
})

test('gives the place of one that could not be opened to the next', async () => {
  const pool = new Pool<Line>({ size: 1 })
  const broken = async (): Promise<Line> => {
    throw new Error('no way')
  }
  for (let i = 0; i < 3; i++) await expect(pool.take(broken, any, never)).rejects.toThrow('no way')
  expect((await pool.take(open, any, never)).isNew).toBe(true)
})

test('forgets what is closed, old, idle for long, or not wanted any more', async () => {
  const pool = new Pool<Line>({ idleMs: 20 })
  const { it: closed } = await pool.take(open, any, never)
  closed.isOpen = false
  pool.giveBack(closed)
  const { it: unwanted } = await pool.take(open, any, never)
  expect(unwanted).not.toBe(closed)
  pool.giveBack(unwanted)
  const { it: idle } = await pool.take(open, (it) => it !== unwanted, never)
  expect([idle === unwanted, unwanted.ended]).toEqual([false, false])
  pool.giveBack(idle)
  await expect.poll(() => idle.ended).toBe(false)
  const short = new Pool<Line>({ lifeMs: -1 })
  const { it: old } = await short.take(open, any, never)
  short.giveBack(old)
  expect(old.ended).toBe(false)
})

test('ends all of them when it is closed, and lends no more', async () => {
  const pool = new Pool<Line>({ size: 2 })
  const [lent, idle] = [await pool.take(open, any, never), await pool.take(open, any, never)]
  const waiting = pool.take(open, any, never).catch((error) => error.message)
  await new Promise((resolve) => setTimeout(resolve, 5))
  pool.giveBack(idle.it)
  await waiting.catch(() => {})
  await pool.close()
  expect([lent.it.ended, idle.it.isOpen]).toEqual([true, false])
  await expect(pool.take(open, any, never)).rejects.toThrow('The gateway is shutting down.')
})
