import type { Rules } from '../rules.ts'
import { either } from '../words.ts'

/** Functions and table functions that read more than the server's tables, and functions with side effects. */
const calls = either(
  // Files, URLs, object stores, lakes.
  'url(?:cluster)? files?(?:cluster)? filesystem s3\\w* gcs\\w* oss cosn',
  'azure\\w* hdfs\\w* hive iceberg\\w* deltalake\\w* hudi\\w* paimon\\w*',
  // Other servers and databases.
  'remote\\w* cluster\\w* mysql postgresql mongodb redis sqlite',
  'jdbc odbc arrowflight ytsaurus meilisearch prometheusquery\\w*',
  'timeseries(?:data|tags|metrics|samples|selector) kafka rabbitmq nats',
  // Language models and other services.
  'ai(?:generate|embed|classify|extract|translate|query|filter|agg)\\w* llm\\w*',
  // Programs and the files that they load: scripts, models, dictionaries and their sources.
  'executable\\w* python catboost\\w* modelevaluate dict(?:get|has|is)\\w*',
  'dictionary input',
  // Any table that matches a pattern, infinite tables, and data below the table level.
  'merge loop arrowstream mergetree(?:index|projection|parts|analyzeindexes|textindex)\\w*',
  // A string that runs as a statement, and the internal name of a statement that explains another statement.
  'eval viewexplain',
  // Waiting, the server's log and counters, and the request's headers.
  'sleep sleepeachrow logtrace generateserialid getclienthttpheader',
  'addressto\\w+',
)

/** Functions whose first argument is a lambda, or the name of a function. */
const callers = either(
  'array(?:map|filter|(?:reverse)?(?:fill|split|sort)|exists|all|first\\w*|last\\w*|min|max)',
  'array(?:sum|avg|cumsum\\w*|product|count|partial\\w*|fold|difference|compact|topk|bottomk)',
  'map(?:apply|filter|exists|all|sort|reversesort|partial\\w*)',
)

const setting = '\\w+ = (?:0|1)'

/** ClickHouse's lexical rules, and rules for side effects in statements that begin like reads. */
export const rules: Rules = {
  lexis: {
    doubleQuotes: 'name',
    backticks: true,
    backslashes: true,
    dollarQuotes: true,
    nestedComments: 'in some versions',
    hashComments: true,
    slashComments: true,
    escapedNames: true,
    asciiWords: true,
  },
  asNamesColumns: true,
  readVerbs: ['select', 'with', 'show', 'describe', 'desc', 'exists', 'explain', 'from'],
  explainOptions: new RegExp(
    `^(?:ast|syntax|query tree|plan|pipeline|estimate)?(?:(?:^| )${setting}(?: , ${setting})*)?$`,
  ),
  refusedFunctions: new RegExp(`^(?:${calls})$`),
  // This function accepts a host before the database name.
  refusedUnlessOfThreeTexts: /^hascolumnintable$/,
  hasApply: true,
  higherOrderFunctions: new RegExp(`^(?:${callers})$`),
  hiddenRelations: /^(?:zookeeper(?:_\w+)?|named_collections|user_directories)$/,
  refusedClauses: ['into', 'settings', 'format', 'parallel with'],
  shownClauses: ['settings'],
  outputClauses: ['settings', 'format'],
}
