import type { Io } from '../database.ts'
import { DatabaseError, rowTooLarge } from '../error.ts'
import type { Result } from '../postgres/answer.ts'
import { postgresError } from '../postgres/error.ts'
import { identityFault } from '../postgres/identity.ts'
import { builtinType } from '../postgres/types.ts'
import type { Limits, Statement } from '../rows.ts'
import { MAX_BODY_BYTES, objectOf } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { post } from '../transport/post.ts'
import type { Address } from './address.ts'
import { refusal, tooLarge } from './error.ts'
import { readRecord } from './record.ts'
import { type Head, scriptOf } from './script.ts'

// https://supabase.com/docs/reference/api/v1-read-only-query

/** What a statement returned, and whether there is more that was too long. */
export interface Reading extends Result {
  /** The types of the columns, by name. */
  readonly types: readonly string[]
  readonly cut: boolean
}

/** Runs one statement in one request. Throws {@link DatabaseError}. */
export async function send(
  { endpoint, authorization }: Address,
  statement: Statement,
  limits: Limits,
  deadline: Deadline,
  io: Io,
): Promise<Reading> {
  const headers = { authorization, 'content-type': 'application/json' }
  const query = scriptOf(statement, limits)
  const { response, text } = await post(endpoint, headers, JSON.stringify({ query }), deadline, io)
  const body = await text(MAX_BODY_BYTES)
  if (body === undefined) throw tooLarge()
  const answer = objectOf<Body>(body)
  if (!response.ok || !Array.isArray(answer)) {
    const { message } = (answer ?? {}) as { readonly message?: unknown }
    // What fails by itself and not in the block is told in its answer.
    throw response.ok
      ? brokenAnswer()
      : identityFault(refusal(response, message, limits), limits.identity, true)
  }
  return readingOf(answer, limits)
}

/** What the service sends: the rows of one result, as objects. */
type Body = readonly { readonly it?: unknown }[] | { readonly message?: unknown }

function readingOf(rows: readonly { readonly it?: unknown }[], { timeoutMs }: Limits): Reading {
  const [first, ...lines] = rows.map((row) => row?.it)
  const head = objectOf<Head>(typeof first === 'string' ? first : '')
  if (head?.writable) {
    throw new DatabaseError('network', 'The database did not begin a read-only transaction.')
  }
  if (head?.error) {
    const { code, message, detail, hint } = head.error
    const report = { code, message, detail: detail || undefined, hint: hint || undefined }
    throw postgresError(report, timeoutMs, false)
  }
  const { names, types, called = [], cut = false } = head ?? {}
  if (names?.length === undefined || types?.length !== names.length) throw brokenAnswer()
  if (cut && lines.length === 0) throw rowTooLarge()
  return {
    fields: names.map((name, i) => ({ name, dataTypeID: Number(types[i]) })),
    types: types.map((oid, i) => builtinType(Number(oid)) ?? called[i] ?? 'unknown'),
    rows: lines.map((line) => {
      const row = typeof line === 'string' ? readRecord(line, names.length) : undefined
      if (!row) throw brokenAnswer()
      return row
    }),
    cut,
  }
}
