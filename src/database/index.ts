export { byCatalog } from './catalog-use.ts'
export type {
  ConnectionString,
  ConnectionStringFault,
  ConnectionStringPart,
} from './connection-string/recognised.ts'
export type { Database, Io } from './database.ts'
export { DemoStore } from './demo/demo-store.ts'
export type { Dialect, TableName } from './dialect.ts'
export type { Because, Failure, Reason } from './error.ts'
export { DatabaseError, TooDear } from './error.ts'
export type { EngineFixes, Fix, FixPlace, FixStep } from './fix.ts'
export {
  type Closable,
  type DatabaseServer,
  type FileState,
  type Machine,
  type Platform,
  platformOf,
  type SqliteFile,
  type Stream,
} from './machine.ts'
export {
  assertReads,
  type DatabaseSource,
  hasNoSecret,
  hosts,
  type KnownScheme,
  knownScheme,
  locate,
  locateLater,
  titlesOf,
  urlsWithoutSecret,
} from './open.ts'
export {
  allTables,
  catalogKeeper,
  columnsOf,
  described,
  explain,
  findSource,
  findTable,
  fingerprint,
  hintFor,
  listTables,
  overview,
  rowSecurity,
  visible,
} from './questions.ts'
export type { ConnectionReport, Finding, RoleReport } from './role.ts'
export type {
  Answer,
  Cell,
  Column,
  Identity,
  Limits,
  Param,
  QueryContext,
  Rows,
  Statement,
  TimeLimits,
  TraceNote,
} from './rows.ts'
export type { Glossary } from './schema/described.ts'
export type { KeepCatalog } from './schema/kept-catalog.ts'
export type { OverviewColumn } from './schema/overview.ts'
export type {
  ForeignKey,
  Index,
  Table,
  TableColumn,
  TableList,
  TableSummary,
} from './schema/table.ts'
export { keyOf, namesOf, shownName } from './schema/table-name.ts'
export type { VisibleTables } from './schema/visible-tables.ts'
export { bySessions, Sessions } from './sessions.ts'
export type { Condition, Operator, Selection } from './statements/select.ts'
export { keyOfOrder, operators, selectStatement } from './statements/select.ts'
export { textSearch } from './statements/text-search.ts'
export { type Deadline, startDeadline, until } from './transport/deadline.ts'
export { trimEnd } from './transport/trim-end.ts'

/** Loads the code that removes the values from a statement, so that it can be logged. */
export const redaction = () => import('./guard/without-literals.ts')

export type { Service } from './connection-string/services.ts'

/** Loads the code that inspects roles and reports on them. */
export const doctor = () => import('./doctor/index.ts')

/** Loads the fixes for logins with a token. */
export const tokenFixes = () => import('./iam/fixes.ts')

/** Loads the code that reads pasted connection strings and identifies their hosts' services. */
export const connectionStrings = () => import('./recognise.ts')
