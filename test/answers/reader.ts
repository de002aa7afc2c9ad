import type { Arguments, Conversation } from './conversation.ts'
import type { Answer } from './grade.ts'
import { fixed } from './hints.ts'

/** A table, as far as an answer has told of it. In a template it is its name. */
export class Table {
  readonly name: string
  readonly columns: readonly string[]
  /** Columns here, the table they point to, and its columns. */
  readonly foreignKeys: readonly { columns: string[]; table: string; tableColumns: string[] }[]

  constructor(name: string, columns: readonly string[], foreignKeys: Table['foreignKeys'] = []) {
    this.name = name
    this.columns = columns
    this.foreignKeys = foreignKeys
  }

  toString(): string {
    return this.name
  }

  /** The first column whose name fits what is looked for. */
  column(meant: RegExp): string {
    const found = this.columns.find((it) => meant.test(it))
    if (found === undefined) throw new Error(`${this.name} names no column like ${meant}.`)
    return found
  }

  /** The condition of a join with another table, out of the foreign key that points there. */
  on(mine: string, other: Table, theirs: string): string {
    const key = this.foreignKeys.find((it) => it.table === other.name)
    if (!key) throw new Error(`${this.name} has no key to ${other.name}.`)
    return key.columns
      .map((it, i) => `${mine}.${it} = ${theirs}.${key.tableColumns[i]}`)
      .join(' and ')
  }
}

/** Rows as an answer holds them. */
interface Rows {
  readonly columns: readonly { readonly name: string }[]
  readonly rows: readonly (readonly Answer[])[]
  readonly truncated: boolean
  readonly hint?: string
}

/** As often as an error is acted on before a call is given up. */
const TRIES = 4

/** For a name that nothing is known of but how it was written. */
const ANYTHING = /(?:)/

/**
 * A reader without a mind of its own, in the place of a model: it uses tools as their descriptions
 * say, names that answers have told it, and does about an error or a cut what that says.
 */
export class Reader {
  readonly conversation: Conversation

  constructor(conversation: Conversation) {
    this.conversation = conversation
  }

  /** Tables by a word of the question, with their columns: list_tables, as its description says. */
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

  /** The table that a word names, or else the first that has to do with it. */
  async table(word: string): Promise<Table> {
    const tables = await this.tables(word)
    const found = tables.get(word) ?? tables.get(`${word}s`) ?? [...tables.values()][0]
    if (!found) throw new Error(`No table has to do with ${word}.`)
    return found
  }

  /** A table with its keys: describe_table, and a better name if the first is wrong. */
  async describe(name: string, meant = ANYTHING): Promise<Table & { readonly raw: Description }> {
    const raw = await this.#ask<Description>('describe_table', { table: name }, meant)
    const names = raw.columns.map((it) => it.name)
    return Object.assign(new Table(raw.name, names, raw.foreignKeys), { raw })
  }

  /** Rows by query_table. */
  async select(args: Arguments, meant = ANYTHING): Promise<readonly (readonly Answer[])[]> {
    return (await this.#ask<Rows>('query_table', args, meant)).rows
  }

  /** The values that a column has, which a question names in words of its own. */
  async values(table: Table, column: string): Promise<readonly Answer[]> {
    const rows = await this.select({
      table: table.name,
      columns: [column],
      aggregates: ['count(*)'],
    })
    return rows.map(([value]) => value!)
  }

  /** Rows by query. Cells that were cut, and rows that were left out, are fetched as the hint says. */
  async rows(sql: string, params?: readonly Answer[], meant = ANYTHING) {
    const args = { sql, ...(params && { params }) }
    const { rows, truncated, hint = '' } = await this.#ask<Rows>('query', args, meant)
    if (!truncated) return rows
    if (!/page with ORDER BY and LIMIT/.test(hint) || !/order by/.test(sql)) {
      throw new Error(`The answer is cut, and its hint does not help: ${hint}`)
    }
    return this.#pages(sql, params, rows)
  }

  /** One row by query. */
  async row(sql: string, params?: readonly Answer[], meant?: RegExp): Promise<readonly Answer[]> {
    const [row, ...more] = await this.rows(sql, params, meant)
    if (!row || more.length > 0) throw new Error('This is not one row.')
    return row
  }

  /** One value by query. */
  async value(sql: string, params?: readonly Answer[], meant?: RegExp): Promise<Answer> {
    const [value] = await this.row(sql, params, meant)
    return value!
  }

  /** The first column of what query finds. */
  async list(sql: string, params?: readonly Answer[], meant?: RegExp): Promise<readonly Answer[]> {
    return (await this.rows(sql, params, meant)).map(([value]) => value!)
  }

  /** How a statement would be run. */
  async plan(sql: string): Promise<readonly string[]> {
    return (await this.#ask<{ summary: string[] }>('explain_query', { sql })).summary
  }

  /** A call that is known to guess: names in it may have been told by nobody. Its reply, as it is. */
  async attempt(name: string, args: Arguments): Promise<{ text: string; isError: boolean }> {
    return this.conversation.call(name, args)
  }

  /** A first guess at a statement, with names nobody has told, fixed by what its error says. */
  async guess(sql: string, meant: RegExp): Promise<readonly (readonly Answer[])[]> {
    return (await this.#fixing<Rows>('query', { sql }, meant)).rows
  }

  /** A first guess at query_table or another tool, fixed in the same way. */
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
