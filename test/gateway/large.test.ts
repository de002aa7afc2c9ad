import { afterAll, describe, expect, test } from 'vitest'
import { endpointBefore, resultOf } from '../support/endpoint.ts'
import { startEngines } from '../support/engines.ts'

const engines = await startEngines({
  sqlite: [],
  postgres: [],
  mysql: ['select 1'],
  clickhouse: [],
})
afterAll(() => engines.drop())

/** A million rows, in each dialect. */
const rows = {
  sqlite: `with recursive t(n) as (select 1 union all select n + 1 from t where n < 1000000)
    select n, 'row ' || n as said from t`,
  postgres: `select n, 'row ' || n as said from generate_series(1, 1000000) n`,
  mysql: `select seq as n, concat('row ', seq) as said from seq_1_to_1000000`,
  clickhouse: `select number + 1 as n, concat('row ', toString(number + 1)) as said
    from system.numbers limit 1000000`,
}

/** One value of a hundred million characters, or as many as the engine allows. */
const cell = {
  sqlite: `select replace(hex(zeroblob(50000000)), '0', 'x') as x`,
  postgres: `select repeat('x', 100000000) as x`,
  mysql: `select repeat('x', 16000000) as x`,
  clickhouse: `select arrayStringConcat(arrayMap(n -> 'xxxxxxxxxx', range(10000000))) as x`,
}

/** The maximum number of columns in a statement on each engine, up to 5,000. */
const widths = { sqlite: 2_000, postgres: 1_600, mysql: 4_000, clickhouse: 5_000 }

const BYTES = 10_000

describe.each([...engines.ways])('$name', ({ url, dialect }) => {
  const server = endpointBefore(url, { keep: false })
  const ask = async (sql: string) => {
    const { isError, content, structuredContent } = await resultOf(server, 'query', { sql })
    const text: string = content[0].text
    // The 500 leave room for the hint and the duration.
    expect(text.length).toBeLessThan(BYTES + 500)
    return { isError, text, answer: structuredContent }
  }

  test('a million rows are truncated to the first 200, with a hint', async () => {
    const { answer } = await ask(rows[dialect])
    expect(answer.rows.slice(0, 2)).toEqual([
      [1, 'row 1'],
      [2, 'row 2'],
    ])
    expect(answer).toMatchObject({ rowCount: 200, truncated: true })
    expect(answer.hint).toMatch(/^Only the first 200 rows/)
  })

  test('a cell of a hundred megabytes is truncated, or refused with a clear error', async () => {
    const { isError, text, answer } = await ask(cell[dialect])
    if (isError) expect(text).toMatch(/substr\(\)|shorter pieces|too large|too long/i)
    else expect(answer.rows[0][0]).toMatch(/^x{1000}… \(\+\d+ characters\)$/)
  })

  test('thousands of columns are truncated to the first ones, with a hint', async () => {
    const width = widths[dialect]
    const columns = Array.from({ length: width }, (_, i) => `${i} as c${i}`)
    const { answer } = await ask(`select ${columns}`)
    const shown = answer.columns.length
    expect(shown).toBeGreaterThan(50)
    expect(answer.rows).toEqual([Array.from({ length: shown }, (_, i) => i)])
    expect(answer.hint).toContain(`Only the first ${shown} of ${width} columns`)
  })

  test.each([
    [7, '😀', 400],
    [160, '漢', 50],
    [160, '"', 50],
  ])(
    'a row of %i wide columns is truncated to the cap, in whole characters: %s',
    async (width, one, times) => {
      const columns = Array.from({ length: width }, (_, i) => `'${one.repeat(times)}' as c${i}`)
      const { answer, text } = await ask(`select ${columns}`)
      expect(Buffer.byteLength(text)).toBeLessThan(BYTES + 500)
      for (const said of answer.rows[0]) {
        const [, kept, left] = /^(.+)… \(\+(\d+) characters\)$/u.exec(said)!
        expect(kept).toBe(one.repeat(kept!.length / one.length))
        expect(kept!.length + Number(left)).toBe(one.length * times)
      }
    },
  )
})
