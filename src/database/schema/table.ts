import type { TableName } from '../dialect.ts'

/** A table, a view, or another relation to select rows from. */
export interface TableSummary extends TableName {
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table'
  readonly comment: string | undefined
  /** The number of rows when the database last counted them, if it does. */
  readonly estimatedRows: number | undefined
  readonly columnCount: number
}

/** A page of the tables found, and how many there are in all. */
export interface TableList {
  readonly tables: readonly TableSummary[]
  readonly total: number
}

/** What is needed to read from a table. */
export interface Source extends TableName {
  readonly columns: readonly Pick<TableColumn, 'name' | 'type' | 'operators'>[]
}

/** Everything that is needed to write a query on a table. */
export interface Table extends TableSummary {
  readonly columns: readonly TableColumn[]
  readonly primaryKey: readonly string[]
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /** Foreign keys of other tables that point here. */
  readonly referencedBy: readonly ForeignKey[]
  /** Without those of the keys. */
  readonly indexes: readonly Index[]
}

export interface TableColumn {
  readonly name: string
  /** As the table declares it: `numeric(12,2)`. */
  readonly type: string
  readonly nullable: boolean
  /** An SQL expression. */
  readonly default: string | undefined
  readonly comment: string | undefined
  /** All the values there are, where the type lists them. */
  readonly values: readonly string[] | undefined
  readonly primaryKey: boolean
  /** The schema of the operators of its type, if they are not the system's. */
  readonly operators?: string | undefined
}

/** Columns here, and the columns of another table that they equal, in the same order. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: TableName
  readonly tableColumns: readonly string[]
}

export interface Index {
  readonly name: string
  readonly unique: boolean
  /** Holds only some of the rows. */
  readonly partial: boolean
  /** Which rows, as an SQL expression, if the database tells. */
  readonly where?: string | undefined
  readonly columns: readonly string[]
}
