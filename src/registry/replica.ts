import { inTime, pause } from './background.ts'
import { empty, follow, type Position, writeRows } from './copying.ts'
import type { Found, Lookup } from './entries.ts'
import { type AskRegistry, RegistryState } from './registry-state.ts'

/** A copy that is older than this is brought up to date before it answers. */
const FRESH_MS = 2_000

/** For how long a request waits for that, counted from when it began. */
const MAX_WAIT_MS = 1_000

/** When that failed, it is not tried again for so long. */
const RETRY_MS = 1_000

/** How long the registry may take for one page. */
const MAX_PAGE_MS = 5_000

/** A registry that changes faster than it is copied is copied anew this often. */
const MAX_COPIES = 3

const TABLE = 'create table if not exists replica (version integer not null, mark text not null)'

/**
 * A copy of the registry that answers `lookup` in its place, in an object of its own. It asks for what has
 * changed when it is asked itself, and says how old its answer is.
 */
export class Replica {
  readonly #storage: DurableObjectStorage
  readonly #ask: AskRegistry
  readonly #state: RegistryState
  /** The instance of the registry, and when the copy was the same as the registry. */
  #instance = ''
  #sameAt = Number.NEGATIVE_INFINITY
  /** The last use of a key that the instance has told of. */
  #uses = 0
  #syncing: Promise<void> | undefined
  #syncBegan = 0
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(storage: DurableObjectStorage, ask: AskRegistry) {
    this.#storage = storage
    this.#ask = ask
    this.#state = new RegistryState(storage)
    storage.sql.exec(TABLE)
  }

  /** Answers as the registry does; undefined if it cannot: then the registry has to be asked. */
  async lookup(asked: Lookup): Promise<Found | undefined> {
    if (Date.now() - this.#sameAt > FRESH_MS) await this.#refresh()
    // It has not ended in time, or it failed.
    if (this.#syncing || this.#sameAt === Number.NEGATIVE_INFINITY) return undefined
    const found = this.#state.take('lookup', asked) as Found
    return { ...found, instance: this.#instance, age: Date.now() - this.#sameAt }
  }

  /** Waits until the copy is up to date, but not for long. All requests wait for the same. */
  async #refresh(): Promise<void> {
    const now = Date.now()
    if (!this.#syncing) {
      if (now - this.#failedAt < RETRY_MS) return
      this.#syncBegan = now
      this.#syncing = this.#sync()
        .catch((error: unknown) => {
          this.#failedAt = Date.now()
          console.error('A replica of the registry cannot be brought up to date.', error)
        })
        .finally(() => {
          this.#syncing = undefined
        })
    }
    const left = this.#syncBegan + MAX_WAIT_MS - now
    if (left > 0) await Promise.race([this.#syncing, pause(left)])
  }

  async #sync(): Promise<void> {
    this.#sameAt = Number.NEGATIVE_INFINITY
    let from = this.#position()
    let instance: string | undefined
    for (let copies = 0; copies <= MAX_COPIES; ) {
      const at = Date.now()
      const uses = this.#uses
      const told = await this.#of('changedSince', { ...(from ?? NOWHERE), uses })
      // What an instance that was restored has said until now may not be so any more.
      const isSame = instance === undefined || instance === told.instance
      instance = told.instance
      if (from && isSame && told.page) {
        const { page } = told
        this.#write(page.more ? undefined : page.to, () => {
          follow(this.#storage.sql, page)
          for (const it of told.uses) this.#state.keyUsed(it)
        })
        from = page.to
        if (page.more) continue
        this.#uses = told.lastUse
        this.#instance = told.instance
        this.#sameAt = at
        return
      }
      copies++
      this.#uses = 0
      from = (await this.#copy(told.instance, told.position)) ? told.position : undefined
    }
    throw new Error('The registry changes faster than it is copied.')
  }

  /** Copies everything. What changes meanwhile is followed later. Says whether it all is of this instance. */
  async #copy(instance: string, position: Position): Promise<boolean> {
    const { sql } = this.#storage
    this.#write(undefined, () => empty(sql, position))
    let next: Parameters<RegistryState['copy']>[0] | undefined = {}
    while (next) {
      const page: ReturnType<RegistryState['copy']> = await this.#of('copy', next)
      if (page.instance !== instance) return false
      this.#write(undefined, () => writeRows(sql, page.rows))
      next = page.next && { from: page.next }
    }
    return true
  }

  async #of<Name extends 'changedSince' | 'copy'>(
    order: Name,
    input: Parameters<RegistryState[Name]>[0],
  ) {
    const answer = await inTime(MAX_PAGE_MS, this.#ask(order, input))
    if (!answer) throw new Error('The registry said nothing.')
    return answer
  }

  /**
   * Writes something, and the state of the registry that the copy is in then. There is none in the
   * middle of a copy or between two pages: an object that is restarted there begins anew.
   */
  #write(position: Position | undefined, write: () => void): void {
    this.#storage.transactionSync(() => {
      const { sql } = this.#storage
      write()
      sql.exec('delete from replica')
      if (position) sql.exec('insert into replica values (?, ?)', position.version, position.mark)
    })
  }

  #position(): Position | undefined {
    const [row] = this.#storage.sql.exec('select version, mark from replica').toArray()
    return row && { version: Number(row.version), mark: String(row.mark) }
  }
}

/** Is the position of no registry. */
const NOWHERE: Position = { version: -1, mark: '' }
