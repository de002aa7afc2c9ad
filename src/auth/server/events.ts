import { randomText } from '../../registry/index.ts'

/** What happened at the authorization server. Nothing of it is a secret. */
export interface SignInEvent {
  readonly kind:
    | 'signed in'
    | 'sign-in refused'
    | 'app allowed'
    | 'app denied'
    | 'app refused'
    | 'grant revoked'
    | 'token replayed'
  /** The name of the person, if one is known. */
  readonly person?: string | undefined
  /** What the app calls itself. */
  readonly client?: string | undefined
  /** A sentence of ours: why it was refused. */
  readonly why?: string | undefined
}

/** An event as it is listed. */
export interface NotedEvent extends SignInEvent {
  /** What a page showed to the person, so that they can ask about it. */
  readonly reference: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/** The record of the authorization server, for the operator to read. The oldest events are forgotten. */
export class Events {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(
      'create table if not exists events (id integer primary key autoincrement, value text not null)',
    )
  }

  /** Notes an event, and returns its reference. */
  note(event: SignInEvent): string {
    const reference = randomText(8)
    const { kind, ...texts } = event
    const bounded = Object.entries(texts).map(([name, text]) => [name, text && cut(text)])
    const noted: NotedEvent = { kind, ...Object.fromEntries(bounded), reference, at: Date.now() }
    this.#sql.exec('insert into events (value) values (?)', JSON.stringify(noted))
    this.#sql.exec('delete from events where id <= (select max(id) from events) - ?', MAX_EVENTS)
    console.log(JSON.stringify({ event: event.kind, reference, why: event.why }))
    return reference
  }

  /** The last events, the newest one first. */
  last(limit: number): readonly NotedEvent[] {
    const select = 'select value from events order by id desc limit ?'
    const rows = this.#sql.exec<{ value: string }>(select, limit).toArray()
    return rows.map(({ value }) => JSON.parse(value) as NotedEvent)
  }
}

const MAX_EVENTS = 2_000

/** Apps call themselves what they like. */
const cut = (text: string): string =>
  text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text

const MAX_CHARS = 300
