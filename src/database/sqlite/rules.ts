import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/** Functions that also work as tables, without a call: `from fsdir where path = '/etc'`. */
const files = either('fsdir zipfile sqlite_dbpage sqlite_dbdata sqlite_dbptr')

/** Functions from extensions that shells and hosts compile in. A Durable Object does not have any of them. */
const calls = either(
  'load_extension readfile writefile edit eval lsmode fileio_\\w+',
  'define undefine http_\\w+ sha3_query fts3_tokenizer',
  'sqlite_compileoption_\\w+',
  // Rewrites the index in FTS3 and FTS4.
  'optimize',
  // Runs SQL on the table whose name it is given.
  'rtreecheck',
)

/** Pragmas that describe the schema, which can be read as tables. */
const describing = either(
  'table_info table_xinfo table_list index_list index_info index_xinfo',
  'foreign_key_list',
)

/** SQLite's lexical rules, and rules for side effects in statements that begin like reads. */
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
  // INTO does not need a rule, because it only occurs in statements that begin with another verb.
  refusedClauses: [],
  explainAlternative: 'Write EXPLAIN QUERY PLAN in front of it.',
}
