import type { Caller } from '../features/context.ts'
import type { Seal } from './seal.ts'

/** The caller and the request that ask for something stored. */
export interface Asker {
  readonly request: Request
  readonly caller: Caller | undefined
}

/** Ids that this isolate remembers, so that it need not sign them again to check them. */
const MAX_KNOWN_IDS = 1_000

/**
 * Ids for clients: the name of a session, a task or a store, signed for its kind, the caller and
 * the path. An id that is forged, or of another caller, gives no name.
 */
export function signedIds(seal: Seal, kind: 'session' | 'task' | 'store') {
  // Ids by the text that was signed for them: each request of a session brings its id.
  const known = new Map<string, string>()
  const idOf = async (name: string, { request, caller }: Asker) => {
    const { pathname } = new URL(request.url)
    const signed = JSON.stringify([kind, name, pathname, caller?.subject])
    return { signed, id: known.get(signed) ?? `${name}.${await seal.sign(signed)}` }
  }
  return {
    /** A new name, and its id for this caller. */
    async make(asker: Asker): Promise<{ name: string; id: string }> {
      const name = crypto.randomUUID().replaceAll('-', '')
      return { name, id: (await idOf(name, asker)).id }
    },
    /** The name in an id; undefined if the id is not this caller's. */
    async read(id: string, asker: Asker): Promise<string | undefined> {
      const [name = ''] = id.split('.')
      const { signed, id: right } = await idOf(name, asker)
      if (id !== right) return undefined
      if (known.size >= MAX_KNOWN_IDS) known.clear()
      known.set(signed, id)
      return name
    },
  }
}
