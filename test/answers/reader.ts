import type { Arguments, Conversation } from './conversation.ts'
import type { Answer } from './grade.ts'
import { fixed } from './hints.ts'

/** A table, as far as answers have described it. In a template, it is its name. */
export class Table {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns here, the referenced table, and its columns. */
  readonly foreignKeys: readonly { columns: string[]; table: string; tableColumns: string[] }[]

  constructor(name: string, columns: readonly string[], foreignKeys: Table['foreignKeys'] = []) {
    this.name = name
    this.columns = columns
    this.foreignKeys = foreignKeys
  }

  toString(): string {
    return this.name
  }

  /** The first column whose name matches. */
  column(meant: RegExp): string {
    const found = this.columns.find((it) => meant.test(it))
    if (found === undefined) throw new Error(`${this.name} names no column like ${meant}.`)
    return found
  }

  /** The condition of a join with another table, based on the foreign key to it. */
  on(mine: string, other: Table, theirs: string): string {
    const key = this.foreignKeys.find((it) => it.table === other.name)
    if (!key) throw new Error(`${this.name} has no key to ${other.name}.`)
    return key.columns
      .map((it, i) => `${mine}.${it} = ${theirs}.${key.tableColumns[i]}`)
      .join(' and ')
  }
}

/** The rows of an answer. */
interface Rows {
  readonly columns: readonly { readonly name: string }[]
  readonly rows: readonly (readonly Answer[])[]
  readonly truncated: boolean
  readonly hint?: string
}

/** The number of tries for a call with errors. */
const TRIES = 4

/** For a name of which only the spelling is known. */
const ANYTHING = /(?:)/

/**
 * A simulated reader in place of a model. It uses tools according to their descriptions, uses only names
 * from answers, and follows the hints in errors and truncated answers.
 */
export class Reader {
  readonly conversation: Conversation

  constructor(conversation: Conversation) {
    this.conversation = conversation
  }

  /** Finds tables by a word of the question, with their columns, using list_tables. */
  async tables(search?: string): Promise<ReadonlyMap<string, Table>> {
    const args = { ...(search && { search }), detail: true }
    const { tables, hint } = await this.#ask<{
      tables: { name: string; columns: string[] }[]
      hint?: string
    }>('list_tables', args)
    if (search && tables.length === 0) {
      if (!hint) throw new Error('Nothing is found, and nothing says what to do about it.')
      const word = /one word/.test(hint) && search.split(' ').at(-1)
      return this.tables(word && word !== search ? word : undefined)
    }
    return new Map(
      tables.map(({ name, columns }) => [
        name,
        new Table(
          name,
          columns.map((it) => it.split(' ')[0]!),
        ),
      ]),
    )
  }

  /** The table with a name, or else the first one that the search finds. */
  async table(word: string): Promise<Table> {
    const tables = await this.tables(word)
    const found = tables.get(word) ?? tables.get(`${word}s`) ?? [...tables.values()][0]
    if (!found) throw new Error(`No table has to do with ${word}.`)
    return found
  }

  /** A table with its keys, from describe_table. Fixes the name if it is wrong. */
  async describe(name: string, meant = ANYTHING): Promise<Table & { readonly raw: Description }> {
    const raw = await this.#ask<Description>('describe_table', { table: name }, meant)
    const names = raw.columns.map((it) => it.name)
    return Object.assign(new Table(raw.name, names, raw.foreignKeys), { raw })
  }

  /** Rows from query_table. */
  async select(args: Arguments, meant = ANYTHING): Promise<readonly (readonly Answer[])[]> {
    return (await this.#ask<Rows>('query_table', args, meant)).rows
  }

  /** The values of a column, because a question may describe them in other words. */
  async values(table: Table, column: string): Promise<readonly Answer[]> {
    const rows = await this.select({
      table: table.name,
      columns: [column],
      aggregates: ['count(*)'],
    })
    return rows.map(([value]) => value!)
  }

  /** Rows from query. Fetches the rest of a truncated answer in pages, according to the hint. */
  async rows(sql: string, params?: readonly Answer[], meant = ANYTHING) {
    const args = { sql, ...(params && { params }) }
    const { rows, truncated, hint = '' } = await this.#ask<Rows>('query', args, meant)
    if (!truncated) return rows
    if (!/page with ORDER BY and LIMIT/.test(hint) || !/order by/.test(sql)) {
      throw new Error(`The answer is cut, and its hint does not help: ${hint}`)
    }
    return this.#pages(sql, params, rows)
  }

  /** One row from query. */
  async row(sql: string, params?: readonly Answer[], meant?: RegExp): Promise<readonly Answer[]> {
    const [row, ...more] = await this.rows(sql, params, meant)
    if (!row || more.length > 0) throw new Error('This is not one row.')
    return row
  }

  /** One value from query. */
  async value(sql: string, params?: readonly Answer[], meant?: RegExp): Promise<Answer> {
    const [value] = await this.row(sql, params, meant)
    return value!
  }

  /** The first column of the rows from query. */
  async list(sql: string, params?: readonly Answer[], meant?: RegExp): Promise<readonly Answer[]> {
    return (await this.rows(sql, params, meant)).map(([value]) => value!)
  }

  /** The plan of a statement. */
  async plan(sql: string): Promise<readonly string[]> {
    return (await this.#ask<{ summary: string[] }>('explain_query', { sql })).summary
  }

  /** Makes a call with guesses, such as names that no answer has mentioned. Returns the unchanged reply. */
  async attempt(name: string, args: Arguments): Promise<{ text: string; isError: boolean }> {
    return this.conversation.call(name, args)
  }

  /** Runs a statement with guessed names, and fixes it according to its errors. */
  async guess(sql: string, meant: RegExp): Promise<readonly (readonly Answer[])[]> {
    return (await this.#fixing<Rows>('query', { sql }, meant)).rows
  }

  /** Calls query_table or another tool with guesses, and fixes the call in the same way. */
  async guessWith<Value = Rows>(name: string, args: Arguments, meant = ANYTHING): Promise<Value> {
    return this.#fixing<Value>(name, args, meant)
  }

  async #pages(sql: string, params: readonly Answer[] | undefined, first: Rows['rows']) {
    const rows = [...first]
    for (let page = first; page.length === first.length; ) {
      const args = {
        sql: `${sql} limit ${first.length} offset ${rows.length}`,
        ...(params && { params }),
      }
      page = (await this.#ask<Rows>('query', args)).rows
      rows.push(...page)
    }
    return rows
  }

  async #ask<Value>(name: string, args: Arguments, meant = ANYTHING): Promise<Value> {
    const untold = name === 'describe_table' ? [] : this.conversation.untold(args)
    if (untold.length > 0) throw new Error(`Nobody has told of ${untold.join(', ')}.`)
    return this.#fixing<Value>(name, args, meant)
  }

  async #fixing<Value>(name: string, first: Arguments, meant: RegExp): Promise<Value> {
    let args = first
    for (let tries = 0; tries < TRIES; tries++) {
      const { text, isError } = await this.conversation.call(name, args)
      if (!isError) return JSON.parse(text) as Value
      args = fixed(args, text, meant)
    }
    throw new Error(`It still fails after ${TRIES} tries: ${JSON.stringify(args)}`)
  }
}

interface Description {
  readonly name: string
  readonly columns: readonly { name: string; type: string; nullable?: boolean }[]
  readonly primaryKey: readonly string[]
  readonly foreignKeys?: { columns: string[]; table: string; tableColumns: string[] }[]
  readonly referencedBy?: { columns: string[]; table: string; tableColumns: string[] }[]
  readonly indexes?: { name: string; columns: string[] }[]
}
