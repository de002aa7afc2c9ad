import { describe, expect, test } from 'vitest'
import { negotiate } from '../../../src/database/clickhouse/negotiate.ts'
import {
  type Capabilities,
  defaultCapabilities,
} from '../../../src/database/clickhouse/server-capabilities.ts'
import { DatabaseError, type Failure } from '../../../src/database/error.ts'
import type { Answer } from '../../../src/database/rows.ts'

const rowsOf = (rows: Answer['rows']): Answer => ({ columns: [], rows, truncated: false })
const answer = rowsOf([[42]])

/** The error for a user who may not change settings, and the settings that the server then lists. */
const readonly = new DatabaseError('refused', 'Cannot modify setting', { code: '164' })
const told = rowsOf([['readonly', '1']])

let servers = 0

/** A server that refuses settings. It records the capabilities of each request, and counts the questions for them. */
function strict(learned: () => Promise<Answer> = async () => told) {
  const name = `server ${servers++}`
  const asked: Capabilities[] = []
  let questions = 0
  const ask = () =>
    negotiate(
      name,
      async (terms) => {
        asked.push(terms)
        if (terms.free) throw readonly
        return answer
      },
      () => {
        questions++
        return learned()
      },
    )
  return { ask, asked, questions: () => questions }
}

describe('negotiation with ClickHouse', () => {
  test('uses the default capabilities without asking for them', async () => {
    const asked: Capabilities[] = []
    const ask = async (terms: Capabilities) => {
      asked.push(terms)
      return answer
    }
    const never = () => Promise.reject(new Error('It was asked for its terms.'))
    expect(await negotiate(`server ${servers++}`, ask, never)).toBe(answer)
    expect(asked).toEqual([defaultCapabilities])
  })

  test('repeats a refused request as the server allows, and remembers how', async () => {
    const server = strict()
    expect(await server.ask()).toBe(answer)
    expect(server.asked.map(({ free }) => free)).toEqual([true, false])
    expect(await server.ask()).toBe(answer)
    expect(server.asked.map(({ free }) => free)).toEqual([true, false, false])
    expect(server.questions()).toBe(1)
  })

  test('does not ask for capabilities after a syntax error', async () => {
    const wrong = new DatabaseError('sql', 'Syntax error', { code: '62' })
    let questions = 0
    const work = negotiate(
      `server ${servers++}`,
      () => Promise.reject(wrong),
      async () => {
        questions++
        return told
      },
    )
    await expect(work).rejects.toBe(wrong)
    expect(questions).toBe(0)
  })

  test('reports the first error when the server has the default capabilities', async () => {
    const settings = [
      'cancel_http_readonly_queries_on_client_close',
      'date_time_output_format',
      'output_format_decimal_trailing_zeros',
      'format_tsv_null_representation',
      'output_format_tsv_crlf_end_of_line',
      'log_comment',
      'send_progress_in_http_headers',
    ]
    const all = [...settings, 'comment', 'total_rows'].map((name) => [name, ''])
    const server = strict(async () => rowsOf([['readonly', '0'], ...all]))
    await expect(server.ask()).rejects.toBe(readonly)
    await expect(server.ask()).rejects.toBe(readonly)
    expect(server.asked).toHaveLength(2)
    expect(server.questions()).toBe(1)
  })

  test.each<[Failure, boolean]>([
    ['network', false],
    ['timeout', false],
    ['refused', true],
  ])('reports the first error when the question fails with %s: %s', async (kind, first) => {
    const second = new DatabaseError(kind, 'No terms.')
    const server = strict(() => Promise.reject(second))
    await expect(server.ask()).rejects.toBe(first ? readonly : second)
    // The next query asks again.
    await expect(server.ask()).rejects.toBe(first ? readonly : second)
    expect(server.questions()).toBe(2)
  })

  test('uses capabilities that another query has just learned', async () => {
    const slow = Promise.withResolvers<void>()
    const name = `server ${servers++}`
    const first = negotiate(
      name,
      async ({ free }) => {
        if (!free) return answer
        await slow.promise
        throw readonly
      },
      async () => told,
    )
    const refuse = async ({ free }: Capabilities) => {
      if (free) throw readonly
      return answer
    }
    expect(await negotiate(name, refuse, async () => told)).toBe(answer)
    slow.resolve()
    expect(await first).toBe(answer)
  })

  test('forgets a server once 200 others have been used since', async () => {
    const server = strict()
    await server.ask()
    for (let i = 0; i < 199; i++) await strict().ask()
    await server.ask()
    expect(server.questions()).toBe(1)
    for (let i = 0; i < 200; i++) await strict().ask()
    await server.ask()
    expect(server.questions()).toBe(2)
  })
})
