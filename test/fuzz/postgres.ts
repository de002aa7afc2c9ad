import { loadModule, parseSync } from 'libpg-query'
import { rules } from '../../src/database/postgres/rules.ts'
import { words } from '../../src/database/words.ts'
import type { Engine, Verdict } from './fuzz.ts'
import { MARKER, openPostgresServer } from './postgres-server.ts'

/** The parser judges this many texts for each one that a real server runs. The server runs all with the marker. */
const SAMPLE = 20

/**
 * PostgreSQL's own scanner and grammar as the judge, compiled to WebAssembly. The parse tree shows how
 * many statements a text has, what each of them is, and which functions and relations it names, in the
 * same form as in the server. Nothing is looked up and nothing runs.
 *
 * A real server also runs some of the texts, if there is one. It tests another version, and execution.
 */
export async function openPostgres(): Promise<Engine> {
  await loadModule()
  const server = await openPostgresServer().catch(() => undefined)
  let [seen, ran] = [0, 0]
  const { version } = parseSync('select 1') as unknown as Tree
  const judge = async (text: string): Promise<Verdict> => {
    const verdict = judged(text)
    if (!server || typeof verdict === 'object') return verdict
    if (!text.includes(MARKER) && seen++ % SAMPLE > 0) return verdict
    ran++
    const said = await server.run(text)
    return said === undefined ? verdict : { escape: `${said} (server)` }
  }
  return {
    name: 'postgres',
    rules,
    unseen: new Map(),
    batch: 500,
    async judge(texts) {
      const verdicts: Verdict[] = []
      for (const text of texts) verdicts.push(await judge(text))
      return verdicts
    },
    version() {
      const parser = `parser of PostgreSQL ${Math.floor(version / 10_000)}.${version % 10_000}`
      return `${parser}, ${server ? `${ran} texts run by PostgreSQL ${server.version}` : 'no server'}`
    },
    close: async () => server?.close(),
  }
}

/** The verdict of the parser on a text. */
export function judged(text: string): Verdict {
  let tree: Tree
  try {
    tree = parseSync(text) as unknown as Tree
  } catch {
    return 'unparsed'
  }
  const found = escapeOf(tree)
  return found === undefined ? 'reads' : { escape: found }
}

interface Tree {
  readonly version: number
  readonly stmts?: readonly { readonly stmt?: Node }[]
}

type Node = { readonly [key: string]: unknown }

/** The reason why a parse tree is not exactly one statement that only reads. */
function escapeOf({ stmts = [] }: Tree): string | undefined {
  if (stmts.length !== 1) return `${stmts.length} statements`
  const [kind = '', fields] = Object.entries(stmts[0]!.stmt ?? {})[0] ?? []
  if (!MAIN.has(kind)) return kind
  bound = { values: new Set(), queries: new Set() }
  bindIn(stmts[0]!.stmt, bound)
  if (kind !== 'ExplainStmt') return escapeIn(stmts[0]!.stmt)
  const { query, options } = fields as { query?: Node; options?: readonly Node[] }
  const analyzes = options?.some(({ DefElem }) => {
    const { defname, arg } = DefElem as Node
    return (
      defname === 'analyze' && !/"(?:off|false)"|"Integer":\{\}/.test(JSON.stringify(arg ?? ''))
    )
  })
  return analyzes ? 'EXPLAIN ANALYZE' : escapeIn(query)
}

const MAIN = new Set(['SelectStmt', 'ExplainStmt', 'VariableShowStmt'])
const NESTED = new Set(['SelectStmt', 'VariableShowStmt'])

/** The names in a tree that are not tables: names of possible values, and names of queries. */
let bound: { readonly values: Set<string>; readonly queries: Set<string> }

/** Represents a name that PostgreSQL generates. */
const ANY = '*'

function bindIn(node: unknown, names: typeof bound): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    const { alias, ctename } = (value ?? {}) as { alias?: { aliasname: string }; ctename?: string }
    if (key === 'RangeFunction') {
      for (const name of alias ? [alias.aliasname] : namesOfCall(value)) names.values.add(name)
    } else if (key === 'CommonTableExpr') names.queries.add(ctename!)
    else if (alias && key !== 'RangeVar') names.queries.add(alias.aliasname)
    bindIn(value, names)
  }
}

/** The possible names of a call in FROM without an alias. */
function namesOfCall(value: unknown): readonly string[] {
  const text = JSON.stringify(value)
  const kind = /^\{"functions":\[\{"List":\{"items":\[\{"(\w+)"/.exec(text)?.[1] ?? ''
  if (KEYWORD_CALL.test(kind)) return KEYWORDS
  const last = /"funcname":\[.*?"sval":"([^"]+)"\}\}\]/.exec(text)?.[1]
  return [kind === 'FuncCall' && last !== undefined ? last : ANY]
}

/** Matches calls whose name is their keyword. */
const KEYWORD_CALL = /^(?:Coalesce|MinMax|Xml|Json|SQLValueFunction)/
const KEYWORDS = words(
  'coalesce greatest least json json_array json_arrayagg json_object json_objectagg json_scalar',
  'json_serialize json_exists json_query json_value xmlconcat xmlelement xmlforest xmlparse xmlpi',
  'xmlroot xmlserialize current_catalog current_date current_role current_schema current_time',
  'current_timestamp current_user localtime localtimestamp session_user user',
)

/** True if `x.f` is a column, because x can only be rows that the function f does not accept. */
function isColumn([row = '', name = '']: readonly string[]): boolean {
  if (bound.values.has(row) || bound.values.has(ANY)) return false
  return rules.rowColumns!.test(name) || (rules.tableColumns!.test(name) && !bound.queries.has(row))
}

/** The first part of a tree that writes, locks, or names something refused. */
function escapeIn(node: unknown): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined
  for (const [key, value] of Object.entries(node)) {
    const found = escapeAs(key, value) ?? escapeIn(value)
    if (found !== undefined) return found
  }
  return undefined
}

function escapeAs(key: string, value: unknown): string | undefined {
  if (key.endsWith('Stmt') && !NESTED.has(key)) return key
  if (key === 'intoClause' || key === 'lockingClause') return key
  if (key === 'funcname') return namesIn(value).slice(-1).filter(isCall).map(called)[0]
  // `(x).f` is a call if there is no column f, which depends on types that are not known yet.
  if (key === 'indirection') return namesIn(value).filter(isAttribute).map(called)[0]
  if (key === 'RangeVar') {
    const { schemaname, relname } = value as { schemaname?: string; relname?: string }
    return [schemaname, relname].filter(isHidden).map(read)[0]
  }
  if (key !== 'ColumnRef') return undefined
  const fields = (value as Node).fields as readonly object[]
  const names = namesIn(fields)
  // The same is true for `x.f`, but not for `x.f.*`, where f is a table.
  const last = names.length > 1 && !('A_Star' in fields.at(-1)!) ? names.slice(-1) : []
  const column = names.length === 2 && fields.length === 2 && isColumn(names)
  return (
    (column ? [] : last).filter(isAttribute).map(called)[0] ?? names.filter(isHidden).map(read)[0]
  )
}

const isCall = (name: string) => rules.refusedFunctions.test(name)
const isAttribute = (name: string) => rules.attributeFunctions!.test(name)
const isHidden = (name: string | undefined) =>
  name !== undefined && rules.hiddenRelations.test(name)
const called = (name: string) => `calls ${name}`
const read = (name: string | undefined) => `reads ${name}`

/** The names in a list of nodes, without the subscripts and stars between them. */
function namesIn(nodes: unknown): string[] {
  const list = nodes as readonly { String?: { sval?: string } }[]
  return list.flatMap((node) => node.String?.sval ?? [])
}
