import type { Answers } from '../visit.ts'

/** A page of a database's tables. */
export type SchemaPage = Answers['Schema'] & {
  readonly tables: readonly ListedTable[]
  readonly total: number
}

export type ListedTable = NonNullable<Answers['Schema']['tables']>[number]

/** One table, with the database's comments and descriptions by people. */
export type ShownTable = NonNullable<Answers['Schema']['table']>

export type ShownColumn = ShownTable['columns'][number]

/** Columns of this table, and the matching columns of another table. */
export type Relation = ShownTable['foreignKeys'][number]

export type Neighbour = ShownTable['neighbours'][number]

/** Descriptions by people: a database's `glossary` field. */
export type ApiGlossary = NonNullable<Answers['Endpoint']['databases'][string]['glossary']>

/** True if an entry has any text. An entry remains after its last text is removed. */
export const speaks = ({ description, columns = {} }: ApiGlossary[string]): boolean =>
  description !== undefined || Object.keys(columns).length > 0

/** Maximum length of a name on a page. */
export const NAME_CHARS = 80
