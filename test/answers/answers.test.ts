import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningWorker, startWorker } from '../support/worker.ts'
import { grown, readBaseline } from './baseline.ts'
import { Conversation, connect, costOf, type Host } from './conversation.ts'
import { evaluate, reader } from './evaluate.ts'
import { isRight } from './grade.ts'
import { questions } from './questions.ts'
import { Reader } from './reader.ts'

let worker: RunningWorker
beforeAll(async () => {
  worker = await startWorker()
})
afterAll(() => worker.close())

/** A timeout that is long enough for two busy processors. */
const LONG = 240_000

let host: Host
beforeAll(async () => {
  host = await connect(`${worker.url}/mcp`, 'modern')
})
afterAll(() => host.close())

// `npm run answers` does the same in the legacy era too.
test('the simulated reader answers every question, at most a tenth above the baseline cost', {
  timeout: LONG,
}, async () => {
  const outcomes = await evaluate(host, questions, reader)
  expect(outcomes.filter((it) => it.wrong)).toEqual([])
  expect(outcomes).toHaveLength(60)
  expect(grown(readBaseline(), costOf(host), outcomes)).toEqual([])
})

test('questions that start with a mistake get no right answer if errors have no hints', {
  timeout: LONG,
}, async () => {
  const mute: Host = {
    ...host,
    async call(name, args) {
      const { text, isError } = await host.call(name, args)
      return {
        isError,
        text: text.replace(
          /Hint: |Did you mean .*|Available (?:tables|columns): .*|,"hint":".*?"/g,
          '',
        ),
      }
    },
  }
  const turns = [
    ...['misspelt-table', 'misspelt-column', 'singular-table', 'no-such-word', 'words-of-a-table'],
    ...['column-of-another-name', 'table-of-another-name', 'another-schema'],
    ...['more-rows-than-fit', 'more-bytes-than-fit', 'longer-cell-than-fits'],
  ]
  const asked = questions.filter((it) => turns.includes(it.name))
  const outcomes = await evaluate(mute, asked, reader)
  expect(
    outcomes
      .filter((it) => it.wrong)
      .map((it) => it.name)
      .sort(),
  ).toEqual([...turns].sort())
})

test('the reader cannot use a name or a value that no answer has mentioned', async () => {
  const reading = new Reader(new Conversation(host, 'How many are cancelled?'))
  await expect(reading.value('select count(*) from orders')).rejects.toThrow('told of orders')
  await expect(reading.select({ table: 'orders' })).rejects.toThrow('told of orders')
  const orders = await reading.table('orders')
  const status = orders.column(/status/)
  const count = (value: string) =>
    reading.value(`select count(*) from ${orders} where ${status} = '${value}'`)
  await expect(count('pending')).rejects.toThrow('told of pending')
  expect(await count('cancelled')).toBeGreaterThan(0)
})

test('every cost that grows by more than a tenth is reported', () => {
  const before = { told: 100, questions: { a: { calls: 10, tokens: 100 } } }
  const of = (calls: number, tokens: number, name = 'a') => [
    { name, wrong: undefined, calls, tokens },
  ]
  expect(grown(before, 110, of(11, 110))).toEqual([])
  expect(grown(before, 111, of(10, 100))).toEqual([
    'What is told first: 111 tokens where there were 100.',
  ])
  expect(grown(before, 100, of(12, 100))).toContain('a: 12 calls where there were 10.')
  expect(grown(before, 100, of(10, 111))).toContain('a: 111 tokens where there were 100.')
  expect(grown(before, 100, of(1, 1, 'b'))[0]).toContain('b: not in the baseline')
})

test.each([
  [5, '5', true],
  [5, 5.001, false],
  [12.35, 12.34, true],
  [12.35, 12.37, false],
  ['9007199254740993', 9007199254740992, false],
  ['2026-11-04 01:02:03', '2026-11-04T01:02:03Z', true],
  ['Ada', ' ada', true],
  [['a', 1], ['a', 1], true],
  [['a', 1], [1, 'a'], false],
  [[], '', false],
  [[], [], true],
  [null, 0, false],
  [false, 0, true],
])('if %j is right, the answer %j is graded %s', (expected, given, right) => {
  expect(isRight(expected, given)).toBe(right)
})
