import type { Caller } from '../features/context.ts'
import type { Seal } from './seal.ts'

/** The caller and the request that access stored state. */
export interface IdHolder {
  readonly request: Request
  readonly caller: Caller | undefined
}

/** Maximum number of ids that this isolate remembers, so that it can check them without signing them again. */
const MAX_KNOWN_IDS = 1_000

/** Number of random hexadecimal digits in a name. Eight more identify its caller to the storage. */
const RANDOM_DIGITS = 24

/** The first four characters of a signature, as eight hexadecimal digits. */
const hexOf = (signature: string) =>
  [...signature.slice(0, 4)].map((it) => it.charCodeAt(0).toString(16).padStart(2, '0')).join('')

/**
 * Ids for clients: the name of a session, a task or a store, signed for its kind, the caller and
 * the path. An id that is forged or belongs to another caller yields no name.
 */
export function signedIds(seal: Seal, kind: 'session' | 'task' | 'store') {
  // Ids by the string that was signed for them. Each request in a session sends its id.
  const known = new Map<string, string>()
  const signedFor = (name: string, { request, caller }: IdHolder) =>
    JSON.stringify([kind, name, new URL(request.url).pathname, caller?.subject])
  return {
    /** A new name, which ends with digits for its caller, and its id for this caller. */
    async make(asker: IdHolder): Promise<{ name: string; id: string }> {
      const random = crypto.randomUUID().replaceAll('-', '').slice(0, RANDOM_DIGITS)
      const name = random + hexOf(await seal.sign(`owner ${asker.caller?.subject ?? ''}`))
      return { name, id: `${name}.${await seal.sign(signedFor(name, asker))}` }
    },
    /** The name in an id; undefined if the id is not this caller's. */
    async read(id: string, asker: IdHolder): Promise<string | undefined> {
      const [name = '', ...signature] = id.split('.')
      const signed = signedFor(name, asker)
      if (known.get(signed) === id) return name
      if (!(await seal.isSigned(signed, signature.join('.')))) return undefined
      if (known.size >= MAX_KNOWN_IDS) known.clear()
      known.set(signed, id)
      return name
    },
  }
}
