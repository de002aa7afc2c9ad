import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/** Functions and table functions that read more than tables of the server, and some that act. */
const calls = either(
  // Files, URLs, object stores, lakes.
  'url(?:cluster)? files?(?:cluster)? filesystem s3\\w* gcs\\w* oss cosn',
  'azure\\w* hdfs\\w* hive iceberg\\w* deltalake\\w* hudi\\w* paimon\\w*',
  // Other servers and databases. hasColumnInTable takes a host.
  'remote\\w* cluster\\w* mysql postgresql mongodb redis sqlite',
  'jdbc odbc arrowflight ytsaurus meilisearch prometheusquery\\w*',
  'timeseries(?:data|tags|metrics|selector) hascolumnintable kafka rabbitmq nats',
  // Language models, and other services.
  'ai(?:generate|embed|classify|extract|translate|query|filter|agg)\\w* llm\\w*',
  // Programs and what they loaded: scripts, models, dictionaries and where those come from.
  'executable\\w* python catboost\\w* modelevaluate dict(?:get|has|is)\\w*',
  'dictionary input',
  // Any table by a pattern, without end, or below the level of a table.
  'merge loop mergetree(?:index|projection|parts|analyzeindexes|textindex)\\w*',
  // The time of others, the server's log and numbers, the headers of this request.
  'sleep sleepeachrow logtrace generateserialid getclienthttpheader',
  'addressto\\w+',
)

/** Functions whose first argument is a lambda, or the name of a function. */
const callers = either(
  'array(?:map|filter|(?:reverse)?(?:fill|split|sort)|exists|all|first\\w*|last\\w*|min|max)',
  'array(?:sum|avg|cumsum\\w*|product|count|partial\\w*|fold|difference|compact)',
  'map(?:apply|filter|exists|all|sort|reversesort|partial\\w*)',
)

const setting = '\\w+ = (?:0|1)'

/** How ClickHouse reads a statement, and what it does in one that begins like a read. */
export const rules: Rules = {
  lexis: {
    doubleQuotes: 'name',
    backticks: true,
    backslashes: true,
    dollarQuotes: true,
    hashComments: true,
    escapedNames: true,
    asciiWords: true,
  },
  readVerbs: ['select', 'with', 'show', 'describe', 'desc', 'exists', 'explain'],
  explainOptions: new RegExp(
    `^(?:ast|syntax|query tree|plan|pipeline|estimate)?(?:(?:^| )${setting}(?: , ${setting})*)?$`,
  ),
  refusedFunctions: new RegExp(`^(?:${calls})$`),
  hasApply: true,
  higherOrderFunctions: new RegExp(`^(?:${callers})$`),
  hiddenRelations: /^(?:zookeeper(?:_\w+)?|named_collections|user_directories)$/,
  refusedClauses: ['into', 'settings', 'format', 'parallel with'],
  outputClauses: ['settings', 'format'],
}
