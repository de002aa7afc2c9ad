import type { Caller } from './context.ts'
import type { Seal } from './seal.ts'

/** Who asks for something that is kept, and by which request. */
export interface Asker {
  readonly request: Request
  readonly caller: Caller | undefined
}

/**
 * Names of places, as clients hold them: signed for the caller, the path and the kind of place. An id
 * that was made up, or that somebody else uses, holds no name.
 */
export function signedNames(seal: Seal, kind: 'session' | 'task' | 'store') {
  const idOf = async (name: string, { request, caller }: Asker) => {
    const { pathname } = new URL(request.url)
    return `${name}.${await seal.sign(JSON.stringify([kind, name, pathname, caller?.subject]))}`
  }
  return {
    /** A new name, and the id by which this caller may use it. */
    async make(asker: Asker): Promise<{ name: string; id: string }> {
      const name = crypto.randomUUID().replaceAll('-', '')
      return { name, id: await idOf(name, asker) }
    },
    /** The name in an id; undefined if it is none of this caller's. */
    async read(id: string, asker: Asker): Promise<string | undefined> {
      const [name = ''] = id.split('.')
      return id === (await idOf(name, asker)) ? name : undefined
    },
  }
}
