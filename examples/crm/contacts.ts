// The contacts in a table of any database that Tidegate can read.
import {
  DatabaseError,
  type DatabaseSource,
  findSource,
  locate,
  type Machine,
  type Selection,
  selectStatement,
} from 'tidegate/database'
import { ToolError } from 'tidegate/mcp'

export interface ContactSettings {
  /** The machine, outside of Workers: with it, drivers keep connections and read files. */
  readonly MACHINE?: Machine
  readonly DATABASE_URL?: string
  readonly CONTACTS_TABLE: string
  readonly CONTACTS_COLUMNS: string
  readonly CONTACTS_EMAIL: string
  readonly CONTACTS_DATE: string
}

const limits = { maxRows: 100, maxBytes: 100_000, timeoutMs: 10_000 }

export class Contacts {
  readonly #settings: ContactSettings
  #located: DatabaseSource | undefined

  constructor(settings: ContactSettings) {
    this.#settings = settings
  }

  /** The contacts with an address: one, or a few that share it. */
  async byEmail(email: string, signal: AbortSignal): Promise<Contact[]> {
    const value = [email, email.toLowerCase()]
    const where = { column: this.#settings.CONTACTS_EMAIL, op: 'in', value } as const
    return await this.#select({ where: [where], limit: 5 }, signal)
  }

  /** The newest contacts. */
  async recent(limit: number, signal: AbortSignal): Promise<Contact[]> {
    const { CONTACTS_DATE: date } = this.#settings
    const where = [{ column: date, op: 'not_null' }] as const
    return await this.#select({ where, orderBy: [`${date} desc`], limit }, signal)
  }

  /** Up to a hundred addresses that contain a text, and how many there are in all. */
  async addresses(text: string, signal: AbortSignal) {
    const { CONTACTS_EMAIL: column } = this.#settings
    const where = [{ column, op: 'contains', value: text }] as const
    const some = { where, columns: [column], orderBy: [column], limit: 100 }
    const all = { where, columns: [], aggregates: ['count(*)'], limit: 1 }
    const asked = [this.#select(some, signal), this.#select(all, signal)] as const
    const [found, [counted]] = await Promise.all(asked)
    return { values: found.map((it) => String(it[column])), total: Number(counted?.['count(*)']) }
  }

  /** Column names are looked up and values are bound, so no input becomes SQL. */
  async #select(wanted: Omit<Selection, 'table'>, signal: AbortSignal): Promise<Contact[]> {
    const { CONTACTS_TABLE, CONTACTS_COLUMNS } = this.#settings
    const shown = CONTACTS_COLUMNS.split(',').map((it) => it.trim())
    try {
      const database = await this.#database()
      const within = { ...limits, signal }
      const table = await findSource(database, CONTACTS_TABLE, within)
      const statement = selectStatement(database.dialect, { columns: shown, ...wanted, table })
      const { columns, rows } = await database.query(statement, within)
      return rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])))
    } catch (error) {
      throw error instanceof DatabaseError ? new ToolError(sentence(error)) : error
    }
  }

  #database() {
    const { DATABASE_URL, MACHINE } = this.#settings
    this.#located ??= locate(DATABASE_URL || 'demo:', {
      ...{ bindings: { ...this.#settings }, machine: MACHINE },
      fetch: (...asked: Parameters<typeof fetch>) => fetch(...asked),
    })
    return this.#located.open()
  }
}

export type Contact = Readonly<Record<string, unknown>>

const sentence = ({ message, hint }: DatabaseError) => [message, hint].filter(Boolean).join(' ')
