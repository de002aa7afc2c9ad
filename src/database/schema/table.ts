import type { TableName } from '../dialect.ts'

/** A table, a view, or another relation to select rows from. */
export interface TableSummary extends TableName {
  readonly kind: 'table' | 'view' | 'materialized view' | 'foreign table'
  readonly comment: string | undefined
  /** Number of rows at the database's last count, if it counts them. */
  readonly estimatedRows: number | undefined
  readonly columnCount: number
}

/** A page of matching tables, and the total count. */
export interface TableList {
  readonly tables: readonly TableSummary[]
  readonly total: number
}

/** A table with the details needed to read from it. */
export interface ReadableTable extends TableName {
  readonly columns: readonly Pick<TableColumn, 'name' | 'type' | 'operators'>[]
}

/** A table with the details needed to write a query on it. */
export interface Table extends TableSummary {
  readonly columns: readonly TableColumn[]
  readonly primaryKey: readonly string[]
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly ForeignKey[]
  /** Foreign keys in other tables that refer to this table. */
  readonly referencedBy: readonly ForeignKey[]
  /** Indexes, except for those that back keys. */
  readonly indexes: readonly Index[]
}

export interface TableColumn {
  readonly name: string
  /** Type as declared in the table: `numeric(12,2)`. */
  readonly type: string
  readonly nullable: boolean
  /** An SQL expression. */
  readonly default: string | undefined
  readonly comment: string | undefined
  /** Allowed values, if the type lists them. */
  readonly values: readonly string[] | undefined
  readonly primaryKey: boolean
  /** Schema of the type's operators, if they are not the system's. */
  readonly operators?: string | undefined
}

/** Columns of this table and the columns of another table that they refer to, in the same order. */
export interface ForeignKey {
  readonly columns: readonly string[]
  readonly table: TableName
  readonly tableColumns: readonly string[]
}

export interface Index {
  readonly name: string
  readonly unique: boolean
  /** True if the index covers only some of the rows. */
  readonly partial: boolean
  /** SQL condition for the rows in the index, if the database reports it. */
  readonly where?: string | undefined
  readonly columns: readonly string[]
}
