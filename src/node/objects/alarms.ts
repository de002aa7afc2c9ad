import type { DatabaseSync } from 'node:sqlite'
import { logged } from '../logged.ts'

const TABLE =
  'create table if not exists _alarms (class text, name text, at real not null, tries integer not null, primary key (class, name)) without rowid'

/** The longest that a timer waits. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** How often an object that fails is woken again, and the pause before the second time. Each is twice as long. */
const TRIES = 6
const PAUSE_MS = 2_000

/** The times at which objects are to be woken. Those in a file survive a restart. */
export class Alarms {
  readonly #database: DatabaseSync
  readonly #wake: (kind: string, name: string) => Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param wake Wakes an object. */
  constructor(database: DatabaseSync, wake: (kind: string, name: string) => Promise<void>) {
    this.#database = database
    this.#wake = wake
    database.exec(TABLE)
  }

  /** The alarm of one object. */
  of(kind: string, name: string) {
    const run = (sql: string) => this.#database.prepare(sql)
    return {
      get(): number | null {
        const select = 'select at from _alarms where class = ? and name = ?'
        return (run(select).get(kind, name)?.at as number | undefined) ?? null
      },
      set: (at: number): void => {
        run('insert or replace into _alarms values (?, ?, ?, 0)').run(kind, name, at)
        this.start()
      },
      delete: (): void => {
        run('delete from _alarms where class = ? and name = ?').run(kind, name)
      },
    }
  }

  /** Sleeps until the first of them. */
  start(): void {
    clearTimeout(this.#timer)
    const { at } = this.#database.prepare('select min(at) as at from _alarms').get()!
    if (at === null) return
    const wait = Math.min(Math.max(0, Number(at) - Date.now()), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#ring(), wait).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #ring(): void {
    const due = 'select class, name, tries from _alarms where at <= ? order by at limit 100'
    for (const row of this.#database.prepare(due).all(Date.now())) {
      const [kind, name, tries] = [String(row.class), String(row.name), Number(row.tries)]
      const alarm = this.of(kind, name)
      alarm.delete()
      this.#wake(kind, name).catch((error: unknown) => {
        logged(error)
        if (tries + 1 >= TRIES || alarm.get() !== null) return
        const at = Date.now() + PAUSE_MS * 2 ** tries
        const again = 'insert into _alarms values (?, ?, ?, ?)'
        this.#database.prepare(again).run(kind, name, at, tries + 1)
        this.start()
      })
    }
    this.start()
  }
}
