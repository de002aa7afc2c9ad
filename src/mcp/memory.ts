import type { Caller } from './context.ts'
import type { Store } from './events.ts'
import { refused } from './refusal.ts'
import { acceptOf } from './reply.ts'
import { sealWith } from './seal.ts'
import type { Server } from './server.ts'
import { type Listener, Session, type SessionLimits, sessionLimits } from './session.ts'
import { type Sessions, signedSessions } from './sessions.ts'
import { eventStream } from './sse.ts'

/** Sessions in memory: for tests, and for a server that is a single process. */
export function memorySessions(
  build: (request: Request, caller: Caller | undefined) => Server,
  limits: SessionLimits = sessionLimits,
): Sessions {
  const seal = sealWith()
  const places = new Map<string, Place>()
  return signedSessions(seal, async (name, request, caller) => {
    const server = build(request, caller)
    const place = places.get(name) ?? new Place(server, limits, () => places.delete(name))
    places.set(name, place)
    try {
      if (request.method === 'GET') return place.listen(request, caller)
      const accept = acceptOf(request.headers.get('accept'))
      return await place.session.fetch({ request, server, caller, accept, seal })
    } catch (error) {
      return refused(request, error)
    }
  })
}

/** What a session in memory has around it. */
class Place {
  readonly session: Session
  readonly #listeners = new Set<Listener>()
  #cancelWake = () => {}

  constructor({ changes }: Server, limits: SessionLimits, forget: () => void) {
    const ended = new AbortController()
    this.session = new Session({
      store: mapStore(),
      limits,
      listeners: () => [...this.#listeners],
      wakeAt: (time) => {
        this.#cancelWake()
        const timer = setTimeout(() => void this.session.wake(), time - Date.now())
        this.#cancelWake = () => clearTimeout(timer)
        // A session alone keeps no process alive.
        ;(timer as { unref?(): void }).unref?.()
      },
      clear: async () => {
        this.#cancelWake()
        ended.abort()
        forget()
      },
    })
    changes?.listen((change) => this.session.announce(change), ended.signal)
  }

  listen(request: Request, caller: Caller | undefined): Response {
    const { headers } = request
    const begun = this.session.listen(caller?.subject, headers.get('last-event-id'))
    const { stream: name, missed, open, primer } = begun
    const stream = eventStream(() => this.#listeners.delete(listener))
    const listener: Listener = {
      stream: name,
      send: stream.send,
      close: () => {
        this.#listeners.delete(listener)
        stream.close()
      },
    }
    if (primer) stream.prime(primer.id, primer.retryMs)
    for (const { id, message } of missed) stream.send(message, id)
    if (open) this.#listeners.add(listener)
    else stream.close()
    return stream.response
  }
}

function mapStore(): Store {
  const values = new Map<string, unknown>()
  return {
    get: <T>(key: string) => values.get(key) as T | undefined,
    put: (key, value) => void values.set(key, structuredClone(value)),
    delete: (key) => values.delete(key),
    list: <T>({ prefix, startAfter = '' }: { prefix: string; startAfter?: string }) =>
      [...values]
        .filter(([key]) => key.startsWith(prefix) && key > startAfter)
        .sort(([a], [b]) => (a < b ? -1 : 1)) as [string, T][],
  }
}
