import { unwatch, type Watching, watch } from './hub.ts'
import type { ObjectNamespace, ObjectStorage, ObjectValues } from './object-state.ts'

const WATCHING = 'watching'

/** A session's subscription to a change hub, stored in the session's object. */
export class SessionWatch {
  readonly #kv: ObjectValues
  readonly #namespace: ObjectNamespace
  /** The hub being joined. It can send a change before it responds. */
  #asked: string | undefined
  #starting: Promise<void> | undefined

  constructor({ kv }: ObjectStorage, namespace: ObjectNamespace) {
    this.#kv = kv
    this.#namespace = namespace
  }

  /** True if this hub should notify the session of changes. */
  isWatched(hub: string): boolean {
    return hub === (this.#asked ?? this.#kv.get<Watching>(WATCHING)?.hub)
  }

  /** Starts watching, unless the session already watches this hub or has ended in the meantime. */
  async start(watching: Watching, lives: () => boolean): Promise<void> {
    if (this.#kv.get<Watching>(WATCHING)?.hub === watching.hub) return
    this.#starting ??= this.#start(watching, lives).finally(() => {
      this.#asked = undefined
      this.#starting = undefined
    })
    await this.#starting
  }

  async #start(watching: Watching, lives: () => boolean): Promise<void> {
    this.#asked = watching.hub
    await watch(this.#namespace, watching)
    if (lives()) this.#kv.put(WATCHING, watching)
    else await unwatch(this.#namespace, watching)
  }

  async stop(): Promise<void> {
    const watching = this.forget()
    if (watching) await unwatch(this.#namespace, watching)
  }

  forget(): Watching | undefined {
    const watching = this.#kv.get<Watching>(WATCHING)
    if (watching) this.#kv.delete(WATCHING)
    return watching
  }
}
