import { describe, expect, test } from 'vitest'
import type { Database, QueryContext, Statement } from '../../src/database/index.ts'
import { sqlite } from '../../src/database/sqlite/dialect.ts'
import type { EndpointCall } from '../../src/gateway/calls.ts'
import type { DatabasePlace, OpenedFor } from '../../src/gateway/open/endpoint-database.ts'
import { behindPipeline, pipeline } from '../../src/gateway/open/pipeline.ts'

/** A database behind all layers, and the queries that reach it, without our internal ones. */
function place(
  config: Partial<DatabasePlace['config']>,
  waitUntil?: (work: Promise<unknown>) => void,
) {
  const reached: { readonly statement: Statement; readonly limits: QueryContext }[] = []
  const open = async (): Promise<Database> => ({
    dialect: sqlite,
    applies: ['role', 'claims'],
    async query(statement, limits) {
      if (!statement.internal) reached.push({ statement, limits })
      return { columns: [], rows: [], truncated: false, elapsedMs: 0 }
    },
  })
  const found = behindPipeline(
    { title: 'SQLite', applies: ['role', 'claims'], open },
    {
      ...{ endpoint: 'shop', name: 'main', config: { url: 'demo:', ...config } },
      io: { fetch, bindings: {}, waitUntil },
    },
  )
  const query = async (sql: string, asker: OpenedFor, limits: Partial<QueryContext> = {}) =>
    (await found.open(asker)).query({ sql }, { ...LIMITS, ...limits })
  return { query, reached }
}

const LIMITS = { maxRows: 10, maxBytes: 1_000, timeoutMs: 1_000 }

const callOf = () =>
  ({
    ...{ statements: [], rows: 0, bytes: 0, endpoint: { name: 'shop' } },
    trace: { traceparent: '00-1-2-01' },
  }) as unknown as EndpointCall

describe('the layers in front of a database', () => {
  test('have a fixed order, which protects hidden tables and the identity of the caller', () => {
    expect(pipeline.map(({ name }) => name)).toEqual([
      'recordCalls',
      'inspectRoleOnce',
      'keepCatalog',
      'describeTables',
      'restrictTables',
      'noteFaults',
      'suggestNoTables',
      'explainProblems',
      'applyIdentity',
    ])
  })

  test('run a statement with the configured role and the claims of the caller', async () => {
    const { query, reached } = place({ role: 'reader', claims: true })
    const caller = { subject: 'ada', scopes: [] }
    await query('select 1', { caller }, { identity: { role: 'admin' } })
    const { role, claims } = reached[0]!.limits.identity!
    expect([role, JSON.parse(claims!).sub]).toEqual(['reader', 'ada'])
  })

  test('record a statement that group rules refuse, and do not run it', async () => {
    const only = { tables: { orders: true as const } }
    const { query, reached } = place({ only })
    const call = callOf()
    await expect(query('select * from people', { call, author: 'model' })).rejects.toThrow()
    expect([call.statements.length, reached]).toEqual([1, []])
    expect(call.statements[0]).toMatchObject({ database: 'main', free: true })
  })

  test('inspect a role once, after the first statement of a caller, but not after a check', async () => {
    const inspections: Promise<unknown>[] = []
    const { query } = place({ url: 'd1:INSPECTED' }, (work) => inspections.push(work))
    await query('select 1', { author: 'operator', isCheck: true })
    expect(inspections).toHaveLength(0)
    await query('select 1', {})
    await query('select 1', { author: 'operator' })
    expect(inspections).toHaveLength(1)
    await Promise.all(inspections)
  })

  test('skip the table rules only for a statement of the operator', async () => {
    const only = { tables: { orders: true as const } }
    const { query, reached } = place({ only })
    await expect(query('select * from people', {})).rejects.toThrow()
    await expect(query('select * from people', { author: 'model' })).rejects.toThrow()
    expect(reached).toEqual([])
    await query('select * from people', { author: 'operator', call: callOf() })
    expect(reached[0]!.limits.trace).toEqual({ endpoint: 'shop', traceparent: '00-1-2-01' })
  })
})
