import { DatabaseError } from '../error.ts'
import type { Statement } from '../rows.ts'

/** Number of consecutive words that count as a quotation. */
const QUOTED_WORDS = 3

/**
 * Removes text that only Tidegate wrote from a statement's error, because engines quote the SQL they were
 * sent. For our own questions to the catalog, or about the role, the engine's whole message is dropped.
 */
export function withoutOwnText(error: unknown, asked: Statement): unknown {
  if (!(error instanceof DatabaseError)) return error
  const { kind, code, message, hint = '' } = error
  // Without a code, Tidegate itself found the row too large.
  const isSaid = kind === 'sql' || kind === 'refused' || (kind === 'too_large' && code)
  if (!isSaid) return error
  // An EXPLAIN that finds what a statement reads contains the caller's own text.
  if (asked.internal && !/^explain\b/i.test(asked.sql)) {
    return new DatabaseError(kind, QUESTION, { code })
  }
  if (!asked.isBuilt || !quotes(`${message} ${hint}`, asked.sql)) return error
  return new DatabaseError(kind, SELECTION, { code })
}

const QUESTION =
  'The database refused a query that Tidegate sent about its schema or its role. The operator can find the reason in the database log.'

const SELECTION =
  'The database refused to run this selection. Check each column and value, or write the SQL yourself and use query.'

/** True if a message has consecutive words that are also consecutive in a statement. */
function quotes(message: string, sql: string): boolean {
  const own = new Set(runs(sql))
  return runs(message).some((it) => own.has(it))
}

function runs(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.slice(QUOTED_WORDS - 1).map((_, i) => words.slice(i, i + QUOTED_WORDS).join(' '))
}
