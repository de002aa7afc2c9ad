import type { Caller } from '../features/context.ts'
import type { Seal } from './seal.ts'

/** Who asks for something that is kept, and by which request. */
export interface Asker {
  readonly request: Request
  readonly caller: Caller | undefined
}

/** Ids of this isolate's clients that need not be signed again to be checked. */
const MAX_KNOWN_IDS = 1_000

/**
 * Names of places, as clients hold them: signed for the caller, the path and the kind of place. An id
 * that was made up, or that somebody else uses, holds no name.
 */
export function signedIds(seal: Seal, kind: 'session' | 'task' | 'store') {
  // What was signed, and the id it made: a session is asked for with every request.
  const known = new Map<string, string>()
  const idOf = async (name: string, { request, caller }: Asker) => {
    const { pathname } = new URL(request.url)
    const signed = JSON.stringify([kind, name, pathname, caller?.subject])
    return { signed, id: known.get(signed) ?? `${name}.${await seal.sign(signed)}` }
  }
  return {
    /** A new name, and the id by which this caller may use it. */
    async make(asker: Asker): Promise<{ name: string; id: string }> {
      const name = crypto.randomUUID().replaceAll('-', '')
      return { name, id: (await idOf(name, asker)).id }
    },
    /** The name in an id; undefined if it is none of this caller's. */
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
