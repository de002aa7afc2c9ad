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

test('a pool lends the last used connection, and lets an idle process end', async () => {
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

test('a pool serves callers in order, and lends no more connections than its size', async () => {
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

test('a pool lends an extra connection to a call that already has one', async () => {
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

test('a pool closes returned connections that it does not keep', async () => {
  const pool = new Pool<Line>({ kept: 1 })
  const [one, two] = [await pool.take(open, any, never), await pool.take(open, any, never)]
  pool.giveBack(one.it)
  pool.giveBack(two.it)
  expect([one.it.ended, two.it.ended]).toEqual([undefined, false])
})

test('a pool frees the slot of a connection that could not be opened', async () => {
  const pool = new Pool<Line>({ size: 1 })
  const broken = async (): Promise<Line> => {
    throw new Error('no way')
  }
  for (let i = 0; i < 3; i++) await expect(pool.take(broken, any, never)).rejects.toThrow('no way')
  expect((await pool.take(open, any, never)).isNew).toBe(true)
})

test('a pool drops connections that are closed, unwanted, idle for long or old', async () => {
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

test('a closed pool has ended all its connections, and lends no more', async () => {
  const pool = new Pool<Line>({ size: 2 })
  const [lent, idle] = [await pool.take(open, any, never), await pool.take(open, any, never)]
  const waiting = pool.take(open, any, never)
  await new Promise((resolve) => setTimeout(resolve, 5))
  pool.giveBack(idle.it)
  expect((await waiting).it).toBe(idle.it)
  await pool.close()
  expect([lent.it.ended, idle.it.isOpen]).toEqual([true, false])
  await expect(pool.take(open, any, never)).rejects.toThrow('The gateway is shutting down.')
})
