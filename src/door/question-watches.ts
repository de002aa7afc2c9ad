import { type CredentialIo, type Endpoint, questionWatch } from '../gateway/index.ts'
import { BoundedMap } from '../ground/index.ts'
import type { Changes } from '../mcp/index.ts'

/** An endpoint with verified questions, as one group sees it. */
export interface WatchedEndpoint {
  readonly key: string
  /** Changes when the endpoint or the group does. */
  readonly version: string
  readonly endpoint: Endpoint
  readonly io: CredentialIo
  readonly changes: Changes | undefined
}

/** Tracks the verified questions of a deployment's endpoints. Loaded only if an endpoint has any. */
export class QuestionWatches {
  readonly #watches: BoundedMap<{ readonly version: string; readonly watch: Watch }>
  readonly #waitUntil: (work: Promise<unknown>) => void

  constructor(
    limits: { readonly entries: number; readonly size: number },
    waitUntil: (work: Promise<unknown>) => void,
  ) {
    this.#watches = new BoundedMap(limits)
    this.#waitUntil = waitUntil
  }

  /** The last known state, or the result of a check that was due. */
  async of({ key, version, endpoint, io, changes }: WatchedEndpoint, waits: boolean) {
    const { QuestionWatch } = await questionWatch()
    const kept = this.#watches.get(key)
    const watch = kept?.version === version ? kept.watch : new QuestionWatch(endpoint, io, changes)
    if (watch !== kept?.watch) {
      this.#watches.set(key, { version, watch }, JSON.stringify(endpoint).length)
    }
    this.#waitUntil(watch.refresh())
    if (waits) await watch.settled()
    // A server never changes: it holds the state that is known now.
    const { broken, version: state } = watch
    return { broken, version: state, lookAgain: (name: string) => watch.lookAgain(name) }
  }

  /** Checks all questions, or the one with this name. The operator's result also applies to callers. */
  async look(
    { key, version, endpoint, io }: Omit<WatchedEndpoint, 'changes'>,
    asked: { readonly name?: string | undefined; readonly signal?: AbortSignal },
  ) {
    const { lookAtQuestions } = await questionWatch()
    const found = await lookAtQuestions(endpoint, io, asked)
    const kept = this.#watches.get(key)
    if (kept?.version === version) await kept.watch.learn(found)
    return found
  }
}

type Watch = InstanceType<Awaited<ReturnType<typeof questionWatch>>['QuestionWatch']>
