import type { Rules } from '../guard.ts'

/** From the extensions that shells and hosts compile in. A Durable Object has none of them. */
const calls = [
  ...['load_extension', 'readfile', 'writefile', 'edit', 'eval', 'fsdir', 'zipfile', 'lsmode'],
  ...['sha3_query', 'fts3_tokenizer', 'sqlite_dbpage', 'sqlite_compileoption_\\w+'],
].join('|')

/** The pragmas that, as tables, describe the schema. */
const describing = [
  ...['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info', 'index_xinfo'],
  'foreign_key_list',
].join('|')

/** How SQLite reads a statement, and what it does in one that begins like a read. */
export const rules: Rules = {
  lexis: { doubleQuotes: 'name', backticks: true, brackets: true, parameterSuffixes: true },
  reads: ['select', 'with', 'values', 'explain'],
  explain: /^query plan$/,
  calls: new RegExp(`^(?:${calls})$`),
  hidden: new RegExp(`^(?:_cf_.*|__miniflare.*|sqlite_dbpage|pragma_(?!(?:${describing})$).*)$`),
  clauses: ['into'],
}
