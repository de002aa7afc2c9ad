import type { Io } from '../database.ts'
import { rowTooLarge } from '../error.ts'
import type { PostgresResult } from '../postgres/answer.ts'
import { postgresError } from '../postgres/error.ts'
import { identityFault } from '../postgres/identity.ts'
import { notReadOnly } from '../postgres/read-only.ts'
import { builtinType } from '../postgres/types.ts'
import type { Limits, QueryContext, Statement } from '../rows.ts'
import { objectOf } from '../transport/body.ts'
import { brokenAnswer } from '../transport/broken-answer.ts'
import type { Deadline } from '../transport/deadline.ts'
import { exchange } from '../transport/post.ts'
import type { SupabaseAddress } from './address.ts'
import { refusal } from './error.ts'
import { readRecord } from './record.ts'
import { type Head, scriptOf } from './script.ts'

// https://supabase.com/docs/reference/api/v1-read-only-query

/** A statement's result, and the names of its columns' types. */
type SupabaseReading = PostgresResult & { readonly types: readonly string[] }

/** Runs one statement in one request. Throws {@link DatabaseError}. */
export async function send(
  { endpoint, authorization }: SupabaseAddress,
  statement: Statement,
  limits: QueryContext,
  deadline: Deadline,
  io: Io,
): Promise<SupabaseReading> {
  const query = scriptOf(statement, limits)
  const { response, text } = await exchange(endpoint, { authorization }, { query }, deadline, io)
  const answer = objectOf<SupabaseBody>(text)
  if (!response.ok || !Array.isArray(answer)) {
    const { message } = (answer ?? {}) as { readonly message?: unknown }
    // The block returns its own errors as a row. All other failures are in the service's message.
    throw response.ok
      ? brokenAnswer()
      : identityFault(refusal(response, message, limits), limits.identity, true)
  }
  return readingOf(answer, limits)
}

/** The service's response: the rows of one result, as objects. */
type SupabaseBody = readonly { readonly it?: unknown }[] | { readonly message?: unknown }

function readingOf(
  rows: readonly { readonly it?: unknown }[],
  { timeoutMs }: Limits,
): SupabaseReading {
  const [first, ...lines] = rows.map((row) => row?.it)
  const head = objectOf<Head>(typeof first === 'string' ? first : '')
  if (head?.writable) throw notReadOnly()
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
