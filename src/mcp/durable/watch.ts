import { unwatch, type Watching, watch } from './hub.ts'
import type { ObjectNamespace, ObjectStorage, ObjectValues } from './object-state.ts'

const WATCHING = 'watching'

/** How a session watches a hub of changes: what its object stores of that. */
export class SessionWatch {
  readonly #kv: ObjectValues
  readonly #namespace: ObjectNamespace
  /** The node that is being asked. It may tell of a change before it answers. */
  #asked: string | undefined
  #starting: Promise<void> | undefined

  constructor({ kv }: ObjectStorage, namespace: ObjectNamespace) {
    this.#kv = kv
    this.#namespace = namespace
  }

  /** Whether this node of a hub should tell the session of changes. */
  isWatched(node: string): boolean {
    return node === (this.#asked ?? this.#kv.get<Watching>(WATCHING)?.hub)
  }

  /** Starts to watch, unless the session does. If it ended meanwhile, it does not. */
  async start(watching: Watching, lives: () => boolean): Promise<void> {
    if (this.#kv.get(WATCHING)) return
    this.#starting ??= this.#start(watching, lives).finally(() => {
      this.#asked = undefined
      this.#starting = undefined
    })
    await this.#starting
  }

  async #start(watching: Watching, lives: () => boolean): Promise<void> {
    const asking = (node: string) => {
      this.#asked = node
    }
    const hub = await watch(this.#namespace, watching, asking)
    if (lives()) this.#kv.put(WATCHING, { ...watching, hub })
    else await unwatch(this.#namespace, { ...watching, hub })
  }

  /** Stops watching, and says so to the hub. */
  async stop(): Promise<void> {
    const watching = this.forget()
    if (watching) await unwatch(this.#namespace, watching)
  }

  /** Forgets what the session watches. */
  forget(): Watching | undefined {
    const watching = this.#kv.get<Watching>(WATCHING)
    if (watching) this.#kv.delete(WATCHING)
    return watching
  }
}
