import { describe, expect, test } from 'vitest'
import { gateway, readEndpoints } from '../../src/gateway/index.ts'
import { ask, LEGACY, MODERN, requestOf } from '../support/mcp.ts'

/** Serves the usual tools and two custom ones, with a database that fails and counts every attempt. */
function served() {
  const tools = [
    ...['list_tables', 'describe_table', 'query_table', 'query', 'explain_query'],
    {
      name: 'constructor',
      description: 'A tool with a parameter.',
      sql: 'select $1',
      params: [{ name: 'value', type: 'string' }],
    },
    {
      name: 'claimed',
      description: 'A tool that asks who calls.',
      sql: 'select $1',
      params: [{ name: 'who', claim: 'constructor' }],
    },
  ]
  const endpoint = {
    ...{ name: 'x', title: 'X', databases: { shop: { url: 'demo:' } }, tools },
    search: [{ table: 'products', title: 'name', text: ['name'] }],
  }
  const [read] = readEndpoints({ ENDPOINTS: JSON.stringify([endpoint]) })
  let asked = 0
  const DEMO = {
    idFromName() {
      asked++
      throw new Error('The database is asked.')
    },
  }
  const keeping = { stores: { open: () => Promise.reject(new Error('none')) }, seal: {} } as never
  const server = gateway(read!, { fetch, bindings: { DEMO } }, { keeping })
  const answer = async (version: string, method: string, params: object) =>
    (await ask({ server }, requestOf(version, { method, params: { ...params } }))).body
  return { answer, asked: () => asked }
}

const long = 'x'.repeat(100_001)
const many = <T>(it: T, count = 1_001) => Array.from({ length: count }, () => it)
const nested = (levels: number): unknown => (levels === 0 ? [] : [nested(levels - 1)])
const fields = Object.fromEntries(many('x', 201).map((it, i) => [`${it}${i}`, it]))

const condition = { column: 'x', op: 'eq', value: '1' }

describe.each([...LEGACY, MODERN])('an argument that exceeds its limit in %s', (version) => {
  test.each([
    ['list_tables', { search: 'x'.repeat(201) }, 'at most 200'],
    ['list_tables', { cursor: long }, '"cursor" has more than 100000 characters'],
    ['list_tables', { search: nested(20) }, '"search" nests deeper than 16 levels'],
    ['list_tables', fields, 'more than 200 fields'],
    ['list_tables', { ['x'.repeat(1_001)]: 1 }, 'a field whose name has over 1000 characters'],
    ['describe_table', { table: 'x'.repeat(1_001) }, 'at most 1000 characters'],
    ['query', { sql: long }, '"sql" has more than 100000 characters'],
    ['query', { sql: 'select 1', params: many(1) }, '"params" has more than 1000 items'],
    ['query', { sql: 'select 1', params: [long] }, '"params" has more than 100000 characters'],
    ['explain_query', { sql: long }, '"sql" has more than 100000 characters'],
    ['query_table', { table: 'x'.repeat(1_001) }, 'at most 1000 characters'],
    ['query_table', { table: 't', columns: many('x', 501) }, 'at most 500 names'],
    ['query_table', { table: 't', columns: ['x'.repeat(1_001)] }, 'at most 1000 characters'],
    ['query_table', { table: 't', aggregates: many('x', 501) }, 'at most 500 names'],
    ['query_table', { table: 't', aggregates: [`count(${' '.repeat(2_000)}x`] }, 'at most 1000'],
    ['query_table', { table: 't', orderBy: many('x', 501) }, 'at most 500 names'],
    ['query_table', { table: 't', orderBy: [`x${' '.repeat(99_000)}y`] }, 'at most 1000'],
    ['query_table', { table: 't', where: many(condition, 101) }, 'at most 100 conditions'],
    ['query_table', { table: 't', where: [{ ...condition, value: many('1') }] }, '1000 items'],
    ['query_table', { table: 't', where: [{ ...condition, column: long }] }, '100000 characters'],
    ['search', { query: 'x'.repeat(1_001) }, 'at most 1000 characters'],
    ['fetch', { id: 'x'.repeat(4_001) }, 'at most 4000 characters'],
    ['constructor', { value: long }, '"value" has more than 100000 characters'],
  ])('is reported before a database is opened: %s %j', async (name, args, words) => {
    const { answer, asked } = served()
    const { result, error } = await answer(version, 'tools/call', { name, arguments: args })
    const said = result?.content[0].text ?? error.message
    expect(said).toContain(words)
    expect(said.length).toBeLessThan(3_000)
    expect(result?.isError ?? error.code).toBe(result ? true : -32602)
    expect(asked()).toBe(0)
  })

  test('is reported in a short error, even with many other faults', async () => {
    const { answer } = served()
    const args = {
      sql: 1,
      params: many({}, 1_000),
      ...Object.fromEntries(many(1, 190).map((_, i) => ['y'.repeat(900) + i, 1])),
    }
    const { result, error } = await answer(version, 'tools/call', {
      name: 'query',
      arguments: args,
    })
    expect((result?.content[0].text ?? error.message).length).toBeLessThan(3_000)
  })

  test.each([
    ['prompts/get', { name: 'answer_question', arguments: { question: long } }],
    ['prompts/get', { name: 'answer_question', arguments: { question: ['x'] } }],
    [
      'completion/complete',
      {
        ref: { type: 'ref/resource', uri: 'schema://shop/{table}' },
        argument: { name: 'table', value: 'x'.repeat(1_001) },
      },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'profile_table' },
        argument: { name: 'x'.repeat(1_001), value: '' },
      },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'profile_table' },
        argument: { name: 'table', value: '' },
        context: { arguments: { x: {} } },
      },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'profile_table' },
        argument: { name: 'table', value: '' },
        context: { arguments: fields },
      },
    ],
    ['tools/list', { cursor: {} }],
    ['tools/list', { cursor: { toString: 1 } }],
    ['tools/list', { cursor: ['x'] }],
    ['tools/list', { cursor: 0 }],
    ['tools/list', { cursor: true }],
    ['tools/list', { cursor: 'x'.repeat(1_001) }],
    ['prompts/list', { cursor: { valueOf: null } }],
    ['resources/list', { cursor: { toString: 'x' } }],
    ['resources/templates/list', { cursor: [] }],
  ])('or has the wrong type is error -32602: %s %j', async (method, params) => {
    const { error } = await served().answer(version, method, params)
    expect(error.code).toBe(-32602)
  })
})

describe.each([...LEGACY, MODERN])('the name of an Object.prototype property in %s', (version) => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf']

  test.each(names)('has no completions: %s', async (name) => {
    for (const ref of [
      { type: 'ref/resource', uri: 'schema://shop/{table}' },
      { type: 'ref/resource', uri: 'result://{handle}/{part}' },
      { type: 'ref/prompt', name: 'profile_table' },
    ]) {
      const params = { ref, argument: { name, value: 'x' } }
      const { result } = await served().answer(version, 'completion/complete', params)
      expect(result.completion).toEqual({ values: [], total: 0, hasMore: false })
    }
  })

  test.each(names)('is not a prompt, tool, resource or method: %s', async (name) => {
    const { answer } = served()
    const tool = name === 'constructor' ? 'toString' : name
    expect((await answer(version, 'tools/call', { name: tool })).error.code).toBe(-32602)
    expect((await answer(version, 'prompts/get', { name })).error.code).toBe(-32602)
    expect((await answer(version, 'resources/read', { uri: name })).error).toBeDefined()
    expect((await answer(version, name, {})).error.code).toBe(-32601)
    const ref = { type: 'ref/prompt', name }
    const completed = await answer(version, 'completion/complete', {
      ref,
      argument: { name, value: '' },
    })
    expect(completed.error.code).toBe(-32602)
  })

  test('is not a claim of a caller', async () => {
    const { answer } = served()
    const { result } = await answer(version, 'tools/call', { name: 'claimed' })
    expect(result).toMatchObject({ isError: true })
    expect(result.content[0].text).toContain('does not include "constructor"')
  })
})
