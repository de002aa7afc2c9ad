import type { TablesRead } from '../dialect.ts'
import { words } from '../words.ts'
import { withoutExplain } from './explain-prefix.ts'

/** The longest program that is read. */
const MAX_ROOT_PAGES = 500

/**
 * Finds the tables that a statement would read in its program, which `EXPLAIN` shows. A table or an index
 * is opened by the number of its first page, and `sqlite_schema` says whose page it is. Undefined if the
 * program holds anything that may read otherwise: a virtual table, another database, an unknown step.
 */
export const tablesRead: TablesRead = async (statement, ask) => {
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

/** The first pages that a program opens; undefined if it may read anything else. */
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

/**
 * Steps that read nothing but registers, tables that the program itself made, and cursors that it opened
 * before: https://sqlite.org/opcode.html
 */
const HARMLESS = new Set(
  words(
    // Where the program goes on.
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
    // Cursors that are open, and tables of the program's own.
    'Column Rowid RowData RowCell Offset Count Sequence NullRow ColumnsUsed CursorHint Close',
    'Rewind Last Next Prev Sort SorterSort SorterNext SorterOpen SorterInsert SorterData SorterCompare',
    'SeekLT SeekLE SeekGE SeekGT SeekRowid SeekScan SeekHit SeekEnd NotExists Found NotFound',
    'NoConflict IdxLE IdxGT IdxLT IdxGE IdxRowid DeferredSeek FinishSeek',
    'OpenEphemeral OpenAutoindex OpenDup OpenPseudo ResetSorter',
    'Insert Delete IdxInsert IdxDelete NewRowid RowSetAdd RowSetRead RowSetTest SequenceTest',
  ),
)
