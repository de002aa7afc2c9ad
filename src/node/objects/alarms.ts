import type { DatabaseSync } from 'node:sqlite'
import { logged, outOfLog } from '../logged.ts'

/** The index finds the next alarm among many. This lookup runs whenever one is set. */
const TABLES = `
create table if not exists _alarms (class text, name text, at real not null, tries integer not null, primary key (class, name)) without rowid;
create index if not exists _alarms_by_time on _alarms (at)`

const MAX_TIMER_MS = 2 ** 31 - 1

/** Maximum number of times to wake a failing object, and the pause before the second time. Each pause doubles. */
const TRIES = 6
const PAUSE_MS = 2_000

interface FailedAlarm {
  readonly kind: string
  readonly name: string
  readonly tries: number
}

/** The times at which to wake objects. With a state file, they survive a restart. */
export class Alarms {
  readonly #database: DatabaseSync
  readonly #wake: (kind: string, name: string) => Promise<void>
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Failed alarms that still have to be stored for another try. */
  readonly #owed = new Map<string, FailedAlarm>()
  #isFaulty = false
  #isStopped = false

  /** @param wake Wakes an object. */
  constructor(database: DatabaseSync, wake: (kind: string, name: string) => Promise<void>) {
    this.#database = database
    this.#wake = wake
    database.exec(TABLES)
  }

  /** The alarm of one object. `wrote` is called on each change. */
  of(kind: string, name: string, wrote: () => void) {
    const run = (sql: string) => this.#database.prepare(sql)
    return {
      get(): number | null {
        const select = 'select at from _alarms where class = ? and name = ?'
        return (run(select).get(kind, name)?.at as number | undefined) ?? null
      },
      set: (at: number): void => {
        run('insert or replace into _alarms values (?, ?, ?, 0)').run(kind, name, at)
        wrote()
        this.start()
      },
      delete: (): void => {
        run('delete from _alarms where class = ? and name = ?').run(kind, name)
        wrote()
      },
    }
  }

  start(): void {
    clearTimeout(this.#timer)
    this.#withDisk(() => {
      const { at } = this.#database.prepare('select min(at) as at from _alarms').get()!
      if (at !== null) this.#sleep(Number(at) - Date.now())
    })
    if (this.#owed.size > 0) this.#sleep(PAUSE_MS)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#isStopped = true
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#isStopped) return
    const wait = Math.min(Math.max(0, ms), MAX_TIMER_MS)
    // A request can have set the time, but the object's work then does not belong to that request.
    this.#timer = outOfLog(() => setTimeout(() => this.#ring(), wait)).unref()
  }

  /** Runs work that nobody waits for and that can fail on a full disk. Retries later: no alarm ends the process. */
  #withDisk(act: () => void): void {
    try {
      act()
      this.#isFaulty = false
    } catch (error) {
      if (!this.#isFaulty) logged(error)
      this.#isFaulty = true
      this.#sleep(PAUSE_MS)
    }
  }

  #ring(): void {
    this.#withDisk(() => {
      for (const [key, { kind, name, tries }] of this.#owed) {
        this.#putOff(kind, name, tries)
        this.#owed.delete(key)
      }
      const due = 'select class, name, tries from _alarms where at <= ? order by at limit 100'
      for (const row of this.#database.prepare(due).all(Date.now())) {
        const [kind, name, tries] = [String(row.class), String(row.name), Number(row.tries)]
        this.of(kind, name, () => {}).delete()
        this.#wake(kind, name).catch((error: unknown) => {
          logged(error)
          if (tries + 1 >= TRIES) return
          // Held in memory until it is on the disk.
          this.#owed.set(`${kind}:${name}`, { kind, name, tries })
          this.#sleep(0)
        })
      }
    })
    if (!this.#isFaulty) this.start()
  }

  /** Schedules another try for an object, unless it has set a time itself. */
  #putOff(kind: string, name: string, tries: number): void {
    const at = Date.now() + PAUSE_MS * 2 ** tries
    const again = 'insert or ignore into _alarms values (?, ?, ?, ?)'
    this.#database.prepare(again).run(kind, name, at, tries + 1)
  }
}
