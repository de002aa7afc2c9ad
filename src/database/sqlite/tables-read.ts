import type { TablesRead } from '../dialect.ts'
import { DatabaseError } from '../error.ts'
import { read } from '../guard/reading.ts'
import type { Token } from '../guard/token.ts'
import type { Rows, Statement } from '../rows.ts'
import { asciiLower, words } from '../words.ts'
import { withoutExplain } from './explain-prefix.ts'
import { rules } from './rules.ts'

/** Maximum number of root pages that a program can open. */
const MAX_ROOT_PAGES = 500

/**
 * Finds the tables that a statement would read, from its program, which `EXPLAIN` shows. A table or an index is
 * opened by the number of its first page, and `sqlite_schema` maps the page to its table. Undefined if the
 * program contains anything that could read in another way: a virtual table, another database, or an unknown
 * step.
 */
export const tablesRead: TablesRead = async (statement, ask, isReadable) => {
  if (!(await readsWithout(statement, ask, isReadable))) return undefined
  const [, query] = withoutExplain(statement.sql)
  const { params } = statement
  const program = await ask({ sql: `explain ${query}`, params, internal: true })
  const pages = program.truncated ? undefined : rootPagesOf(program.rows)
  if (pages === undefined || pages.size > MAX_ROOT_PAGES) return undefined
  if (pages.size === 0) return []
  const { rows } = await ask({
    sql: `select rootpage, tbl_name from sqlite_schema where rootpage in (${[...pages].join(', ')})`,
    internal: true,
  })
  const owners = new Map(rows.map(([page, name]) => [Number(page), String(name)]))
  const names = [...pages].map((page) => owners.get(page))
  if (names.some((name) => name === undefined)) return undefined
  return names.map((name) => ({ schema: 'main', name: name! }))
}

/** Maximum number of hidden tables that share a name with another part of a statement, such as a column or an alias. */
const MAX_NAMESAKES = 10

/** Maximum length of a statement with secret names, and the number of extra characters in each name. */
const MAX_CHARACTERS = 99_000
const SECRET_CHARS = 16

/**
 * True if a statement refers only to readable tables: it must still compile when the other tables have secret
 * names. The program shows less: it leaves out a join that changes nothing, and an error replaces it.
 */
async function readsWithout(
  statement: Statement,
  ask: (statement: Statement) => Promise<Rows>,
  isReadable: (name: string) => boolean,
): Promise<boolean> {
  const { tokens } = read(statement, rules)
  // The length check must not depend on the tables that exist.
  if (statement.sql.length + SECRET_CHARS * tokens.length > MAX_CHARACTERS) return false
  const named = Map.groupBy(tokens, (it) => nameIn(statement, it))
  const all = await ask({
    sql: "select name from sqlite_schema where type in ('table', 'view')",
    internal: true,
  })
  if (all.truncated) return false
  const existing = all.rows.map(([name]) => asciiLower(String(name)))
  const others = new Set(existing.filter((it) => named.has(it) && !isReadable(it)))
  const secret = crypto.randomUUID().slice(-12)
  for (let tries = 0; tries <= MAX_NAMESAKES; tries++) {
    if (others.size === 0) return true
    let sql = ''
    let end = 0
    for (const token of tokens) {
      const name = nameIn(statement, token)
      if (name === undefined || !others.has(name)) continue
      // With its own quotes, a string that is only a value still compiles, so it does not count as a name.
      const quote = /["']/.exec(statement.sql[token.start] ?? '')?.[0] ?? '`'
      const shown = `${secret}${name.replaceAll('`', '')}`.replaceAll(quote, quote + quote)
      sql += `${statement.sql.slice(end, token.start)} ${quote}${shown}${quote} `
      end = token.end
    }
    const compile = (text: string) => {
      const explain = { sql: `explain ${withoutExplain(text)[1]}`, internal: true }
      return ask({ ...explain, params: statement.params }).then(() => undefined, failed)
    }
    const error = await compile(sql + statement.sql.slice(end))
    if (!error) return true
    if (MISSES_TABLE.test(error.message)) return false
    const namesake = [...others].find((it) =>
      error.message.includes(secret + it.replaceAll('`', '')),
    )
    // The error is unrelated to those tables only if the statement has it with their own names, too.
    if (namesake === undefined) return (await compile(statement.sql))?.message === error.message
    others.delete(namesake)
  }
  return false
}

const MISSES_TABLE = /no such table: /

function failed(error: unknown): DatabaseError {
  if (error instanceof DatabaseError && error.kind === 'sql') return error
  throw error
}

/** The name that a token can stand for, in the form that SQLite compares. A string can also be a name. */
function nameIn({ sql }: Statement, { kind, value, start, end }: Token): string | undefined {
  if (kind === 'word' || kind === 'name') return value
  if (kind !== 'text') return undefined
  return asciiLower(sql.slice(start + 1, end - 1).replaceAll("''", "'"))
}

/** The first pages that a program opens. Undefined if it could read anything else. */
function rootPagesOf(program: readonly (readonly unknown[])[]): Set<number> | undefined {
  const pages = new Set<number>()
  for (const [, opcode, , p2, p3, , p5] of program) {
    if (OPENS_A_PAGE.has(String(opcode))) {
      const page = Number(p2)
      const direct = (Number(p5) & PAGE_IS_IN_REGISTER) === 0
      // The first page is the schema itself. Database 0 is `main`.
      if (!direct || Number(p3) !== 0 || !Number.isSafeInteger(page) || page <= 1) return undefined
      pages.add(page)
    } else if (!HARMLESS.has(String(opcode))) return undefined
  }
  return pages
}

const OPENS_A_PAGE = new Set(['OpenRead', 'ReopenIdx'])
const PAGE_IS_IN_REGISTER = 0x10

/** Steps that only read registers, the program's own tables and open cursors: https://sqlite.org/opcode.html */
const HARMLESS = new Set(
  words(
    // Control flow.
    'Init Goto Gosub Return InitCoroutine EndCoroutine Yield BeginSubrtn Jump Once Halt HaltIfNull',
    'If IfNot IfPos IfNotZero IfNullRow IfNotOpen IfNoHope IfSizeBetween IfSmaller DecrJumpZero',
    'IsNull NotNull IsTrue IsType ZeroOrNull MustBeInt ElseEq Eq Ne Lt Le Gt Ge Compare Permutation',
    'Noop Explain Trace Abortable Expire ReleaseReg CursorLock CursorUnlock Transaction TableLock',
    'ReadCookie',
    // Values.
    'Integer Int64 Real String String8 Null SoftNull Blob Variable Move Copy SCopy IntCopy Cast',
    'Affinity RealAffinity CollSeq AddImm Add Subtract Multiply Divide Remainder Concat BitAnd BitOr',
    'BitNot ShiftLeft ShiftRight And Or Not Function PureFunc Param OffsetLimit MakeRecord',
    'ClrSubtype GetSubtype SetSubtype ResultRow TypeCheck',
    'AggStep AggStep1 AggInverse AggValue AggFinal Filter FilterAdd MemMax',
    // Open cursors, and the program's own tables.
    'Column Rowid RowData RowCell Offset Count Sequence NullRow ColumnsUsed CursorHint Close',
    'Rewind Last Next Prev Sort SorterSort SorterNext SorterOpen SorterInsert SorterData SorterCompare',
    'SeekLT SeekLE SeekGE SeekGT SeekRowid SeekScan SeekHit SeekEnd NotExists Found NotFound',
    'NoConflict IdxLE IdxGT IdxLT IdxGE IdxRowid DeferredSeek FinishSeek',
    'OpenEphemeral OpenAutoindex OpenDup OpenPseudo ResetSorter',
    'Insert Delete IdxInsert IdxDelete NewRowid RowSetAdd RowSetRead RowSetTest SequenceTest',
  ),
)
