import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/** Functions that also work as tables, without a call: `from fsdir where path = '/etc'`. */
const files = either('fsdir zipfile sqlite_dbpage sqlite_dbdata sqlite_dbptr')

/** Functions of extensions that shells and hosts compile in. A Durable Object has none of them. */
const calls = either(
  'load_extension readfile writefile edit eval lsmode fileio_\\w+',
  'define undefine http_\\w+ sha3_query fts3_tokenizer',
  'sqlite_compileoption_\\w+',
  // Of FTS3 and FTS4: it rewrites the index.
  'optimize',
)

/** The pragmas that describe the schema, as tables. */
const describing = either(
  'table_info table_xinfo table_list index_list index_info index_xinfo',
  'foreign_key_list',
)

/** How SQLite reads a statement, and what it does in one that begins like a read. */
export const rules: Rules = {
  lexis: {
    doubleQuotes: 'name',
    backticks: true,
    brackets: true,
    textNames: true,
    parameterSuffixes: true,
  },
  readVerbs: ['select', 'with', 'values', 'explain'],
  explainOptions: /^query plan$/,
  internalExplainOptions: /^(?:query plan)?$/,
  refusedFunctions: new RegExp(`^(?:${calls})$`),
  hiddenRelations: new RegExp(
    `^(?:_cf_.*|__miniflare.*|${files}|pragma_(?!(?:${describing})$).*)$`,
  ),
  // INTO needs no rule: only statements that begin with another verb have it.
  refusedClauses: [],
  explainAlternative: 'Write EXPLAIN QUERY PLAN in front of it.',
}
