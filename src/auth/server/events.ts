import { randomText, siteOf } from '../../ground/index.ts'

/** An event at the authorization server. It contains no secrets. */
export interface SignInEvent {
  readonly kind:
    | 'signed in'
    | 'sign-in refused'
    | 'app allowed'
    | 'app denied'
    | 'app refused'
    | 'grant revoked'
    | 'token replayed'
  /** The name of the person, if known. */
  readonly person?: string | undefined
  /** The name that the app gives itself. */
  readonly client?: string | undefined
  /** Reason for a refusal, as one of our own messages. */
  readonly why?: string | undefined
}

/** A recorded event. */
export interface NotedEvent extends SignInEvent {
  /** The reference that the page showed, for a person to give to the operator. */
  readonly reference: string
  /** In milliseconds since 1970. */
  readonly at: number
}

/**
 * The event log of the authorization server, for the operator to read. The oldest events are dropped. Events that
 * strangers cause are stored separately, and identical ones from one network count as one event, so they do not push
 * out other events.
 */
export class Events {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    for (const table of TABLES) sql.exec(table)
  }

  /** Records an event that is not caused by a stranger, and returns its reference. */
  note(event: SignInEvent): string {
    const noted = notedNow(event)
    this.#sql.exec('insert into events (value) values (?)', JSON.stringify(noted))
    this.#sql.exec('delete from events where id <= (select max(id) from events) - ?', MAX_EVENTS)
    return logEvent(noted)
  }

  /** Records an event that anybody can cause. Returns the reference of the first identical one. */
  noteOfStranger(event: SignInEvent, network: string): string {
    const site = siteOf(network)
    const noted = notedNow(event)
    const { kind, why, person, at } = noted
    const what = JSON.stringify([kind, why, person, site])
    const upsert = `insert into strangers (what, site, times, at, value) values (?1, ?2, 1, ?3, ?4)
      on conflict (what) do update set times = times + 1, at = ?3`
    this.#sql.exec(upsert, what, site, at, JSON.stringify(noted))
    const select = 'select value from strangers where what = ?'
    const { value } = this.#sql.exec<{ value: string }>(select, what).one()
    const older = `delete from strangers where id in
      (select id from strangers where ? in ('', site) order by at desc, id desc limit -1 offset ?)`
    this.#sql.exec(older, site, MAX_OF_SITE)
    this.#sql.exec(older, '', MAX_OF_STRANGERS)
    const { reference } = JSON.parse(value) as NotedEvent
    return logEvent({ ...noted, reference })
  }

  /** The latest events, newest first. */
  last(limit: number): readonly NotedEvent[] {
    const own = 'select value from events order by id desc limit ?'
    const others = 'select value, times, at from strangers order by at desc limit ?'
    const events = this.#sql.exec<{ value: string }>(own, limit).toArray()
    const merged = this.#sql.exec<MergedEvent>(others, limit).toArray()
    return [...events.map(({ value }) => JSON.parse(value) as NotedEvent), ...merged.map(eventOf)]
      .sort((one, other) => other.at - one.at)
      .slice(0, limit)
  }
}

type MergedEvent = { readonly value: string; readonly times: number; readonly at: number }

function eventOf({ value, times, at }: MergedEvent): NotedEvent {
  const { why = '', ...event } = JSON.parse(value) as NotedEvent
  return { ...event, at, why: times > 1 ? `${why} ${times} times.`.trim() : why }
}

function notedNow({ kind, ...texts }: SignInEvent): NotedEvent {
  const bounded = Object.entries(texts).map(([name, text]) => [name, text && cut(text)])
  return { kind, ...Object.fromEntries(bounded), reference: randomText(8), at: Date.now() }
}

function logEvent({
  kind,
  reference,
  why,
}: Pick<NotedEvent, 'reference' | 'why'> & { kind: string }): string {
  console.log(JSON.stringify({ event: kind, reference, why }))
  return reference
}

/**
 * Logs the reason that a page failed, and returns the reference for the page. It is for errors that strangers can
 * repeat endlessly. Recorded as events, they would push out all other events.
 */
export const logged = (why: string): string =>
  logEvent({ kind: 'page failed', reference: randomText(8), why })

const TABLES = [
  'create table if not exists events (id integer primary key autoincrement, value text not null)',
  `create table if not exists strangers (id integer primary key autoincrement, what text unique not null,
    site text not null, times integer not null, at integer not null, value text not null)`,
]

const MAX_EVENTS = 2_000

/** Limits on strangers' events: in total, and per /48 or /24. */
const MAX_OF_STRANGERS = 500
const MAX_OF_SITE = 20

/** Shortens a name, since apps choose their own. */
const cut = (text: string): string =>
  text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text

const MAX_CHARS = 300
