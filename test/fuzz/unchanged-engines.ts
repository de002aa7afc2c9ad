import { DatabaseSync } from 'node:sqlite'
import type { UnguardedDatabase } from '../../src/database/database.ts'
import { d1 } from '../../src/database/sqlite/d1.ts'
import { file } from '../../src/database/sqlite/file.ts'
import { libsql } from '../../src/database/sqlite/libsql.ts'
import { answerAsD1 } from '../servers/d1.ts'
import { answers, entries } from '../servers/hrana.ts'
import { openLibsql } from '../servers/libsql-engine.ts'
import { makeSqliteFile } from '../support/sqlite-file.ts'
import { tables } from './queries.ts'
import type { Plain } from './unchanged.ts'

/** An engine, called directly and through a driver. */
export interface Pair {
  readonly plain: Plain
  readonly driven: UnguardedDatabase
}

/** The engines, and the drivers for them. */
export const pairs = {
  d1(seed: number): Pair {
    const database = made(new DatabaseSync(':memory:'), seed)
    const fetch = async (_: unknown, init?: RequestInit) => {
      const { status, body } = answerAsD1(database, JSON.parse(String(init?.body)))
      return Response.json(body, { status })
    }
    const driven = d1.open(new URL('d1://:token@account/database'), { fetch, bindings: {} })
    return { plain: plainly(database, Number), driven }
  },
  libsql(seed: number): Pair {
    const database = made(openLibsql(':memory:'), seed)
    const fetch = async (url: unknown, init?: RequestInit) => {
      const { requests, batch } = JSON.parse(String(init?.body))
      if (String(url).endsWith('/v3/pipeline')) {
        return Response.json({ baton: null, results: answers(database, requests) })
      }
      const lines = [{ baton: null }, ...entries(database, batch.steps)]
      return new Response(lines.map((it) => `${JSON.stringify(it)}\n`).join(''))
    }
    const driven = libsql.open(new URL('libsql://a-host'), { fetch, bindings: {} })
    return { plain: plainly(database, BigInt), driven }
  },
  file(seed: number): Pair {
    const { path, url, io } = makeSqliteFile(tables(seed))
    return { plain: plainly(new DatabaseSync(path), BigInt), driven: file.open(new URL(url), io) }
  },
}

function made(database: DatabaseSync, seed: number): DatabaseSync {
  for (const statement of tables(seed)) database.prepare(statement).all()
  return database
}

/** Calls the engine directly. D1 binds every number as a real, and libSQL binds an integer as an integer. */
const plainly =
  (database: DatabaseSync, integer: (value: number) => number | bigint): Plain =>
  ({ sql, params }) => {
    try {
      const statement = database.prepare(sql)
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
      const values = params.map((it) => (Number.isInteger(it) ? integer(Number(it)) : it))
      const rows = statement.all(...values) as unknown as unknown[][]
      return { names: statement.columns().map(({ name }) => name), rows }
    } catch {
      return undefined
    }
  }
