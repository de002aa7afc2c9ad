import { loadModule, parseSync } from 'libpg-query'
import { rules } from '../../src/database/postgres/rules.ts'
import type { Engine, Verdict } from './fuzz.ts'
import { MARKER, openPostgresServer } from './postgres-server.ts'

/** How many texts the parser judges for each one that a real server runs, which runs all with the marker. */
const SAMPLE = 20

/**
 * PostgreSQL's own scanner and grammar as the judge, compiled to WebAssembly: it says how many
 * statements a text is, what each of them is, and which functions and relations it names, in the
 * form in which the server would go on with them. Nothing is looked up and nothing runs.
 *
 * Some of the texts a real server runs as well, if one is here: another version, and the whole way.
 */
export async function openPostgres(): Promise<Engine> {
  await loadModule()
  const server = await openPostgresServer().catch(() => undefined)
  let [judged, ran] = [0, 0]
  const { version } = parseSync('select 1') as unknown as Tree
  const parse = (text: string): Verdict => {
    let tree: Tree
    try {
      tree = parseSync(text) as unknown as Tree
    } catch {
      return 'unparsed'
    }
    const found = escapeOf(tree)
    return found === undefined ? 'reads' : { escape: found }
  }
  const judge = async (text: string): Promise<Verdict> => {
    const verdict = parse(text)
    if (!server || typeof verdict === 'object') return verdict
    if (!text.includes(MARKER) && judged++ % SAMPLE > 0) return verdict
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

interface Tree {
  readonly version: number
  readonly stmts?: readonly { readonly stmt?: Node }[]
}

type Node = { readonly [key: string]: unknown }

/** What makes a parse tree something else than one statement that only reads. */
function escapeOf({ stmts = [] }: Tree): string | undefined {
  if (stmts.length !== 1) return `${stmts.length} statements`
  const [kind = '', fields] = Object.entries(stmts[0]!.stmt ?? {})[0] ?? []
  if (!MAIN.has(kind)) return kind
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

/** The first part of a tree that writes, locks, or names what is refused. */
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
  // `(x).f` is a call if there is no column f; which it is shows only once types are known.
  if (key === 'indirection') return namesIn(value).filter(isAttribute).map(called)[0]
  if (key === 'RangeVar') {
    const { schemaname, relname } = value as { schemaname?: string; relname?: string }
    return [schemaname, relname].filter(isHidden).map(read)[0]
  }
  if (key !== 'ColumnRef') return undefined
  const fields = (value as Node).fields as readonly object[]
  const names = namesIn(fields)
  // So is `x.f`, but for `x.f.*`, which has a table there.
  const last = names.length > 1 && !('A_Star' in fields.at(-1)!) ? names.slice(-1) : []
  return last.filter(isAttribute).map(called)[0] ?? names.filter(isHidden).map(read)[0]
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
