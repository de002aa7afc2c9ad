import type { Cell, Column, Rows } from '../../database/index.ts'
import { hashOf } from '../../ground/index.ts'
import {
  type Caller,
  type Seal,
  type SessionStore,
  type Stores,
  ToolError,
} from '../../mcp/index.ts'
import { jsonBytes } from './answer.ts'

/** The storage for results: stores that expire, and the seal for their contents. */
export interface ResultStorage {
  readonly stores: Stores
  readonly seal: Seal
}

/** A stored result. Its cells are not cut. */
export interface KeptResult {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Large results for the callers of one endpoint, each in a store that expires. */
export interface KeptResults {
  /** Differs for each server, so a server with other rules or another role runs the statement again. */
  readonly server: number
  /** Stores a result for this caller alone, and returns its URI. */
  keep(result: Pick<Rows, 'columns' | 'rows'>, caller: Caller | undefined): Promise<string>
  /** Reads a stored result. Throws {@link ToolError} if this caller has no result with this handle. */
  read(handle: string, caller: Caller | undefined): Promise<KeptResult>
}

/** Maximum size of a part as JSON, in bytes. Sealed and in Base64, it still fits in one value of a store. */
const PART_BYTES = 90_000

/** A result that is not used for this long is deleted. */
export const KEPT_MS = 30 * 60_000

/** The prefix of the URI of a stored result. */
export const SCHEME = 'result://'

/** The handle in the URI of a result or of one of its parts. */
export const handleOf = (uri: string): string | undefined =>
  /^result:\/\/([\w.-]+)(?:\/\w*)?$/.exec(uri)?.[1]

/** The properties that rows can depend on, apart from the subject. One person can call with several keys. */
export const viewOf = (caller: Caller | undefined): string =>
  JSON.stringify([caller?.claims, caller?.scopes])

let servers = 0

/**
 * Results in stores that are signed for the caller, the endpoint and its rules. They cannot be opened under other
 * rules.
 */
export function resultsOf(
  endpoint: string,
  { stores, seal }: ResultStorage,
  restriction?: string,
): KeptResults {
  let path: Promise<string> | undefined
  const open = async (
    handle: string | undefined,
    caller: Caller | undefined,
  ): Promise<SessionStore> => {
    path ??= restriction === undefined ? Promise.resolve('') : digestOf(restriction)
    // A store is signed for a path. This path is the same for each route to the endpoint.
    const request = new Request(`https://results/${endpoint}${await path}`)
    return stores.open(handle, { request, caller })
  }
  const label = (handle: string, i: number, caller: Caller | undefined) =>
    `${handle} ${i} ${viewOf(caller)}`
  return {
    server: servers++,
    async keep({ columns, rows }, caller) {
      const store = await open(undefined, caller)
      const parts = partsOf(rows)
      const all = [{ columns, parts: parts.length }, ...parts]
      await Promise.all(
        all.map(async (it, i) => {
          await store.put(`${i}`, await seal.seal(it, label(store.handle, i, caller)))
        }),
      )
      return SCHEME + store.handle
    },
    async read(handle, caller) {
      const store = await open(handle, caller).catch((error: unknown) => {
        throw error instanceof ToolError ? gone() : error
      })
      const part = async (i: number) => {
        const sealed = await store.get(`${i}`)
        const found = await seal.open(String(sealed), label(handle, i, caller))
        // Undefined if the deployment's key or the caller's rights have changed.
        if (found === undefined) throw gone()
        return found
      }
      const { columns, parts } = (await part(0)) as { columns: readonly Column[]; parts: number }
      const all = Array.from(
        { length: parts },
        (_, i) => part(i + 1) as Promise<KeptResult['rows']>,
      )
      return { columns, rows: (await Promise.all(all)).flat() }
    },
  }
}

const digestOf = async (text: string): Promise<string> => `/${await hashOf(text)}`

const gone = () => new ToolError('This result is gone: run the statement again.')

/** Splits rows into parts that fit in a store. A row that is too large is left out, with all rows after it. */
function partsOf(rows: KeptResult['rows']): readonly KeptResult['rows'][] {
  const parts: (readonly Cell[])[][] = []
  let bytes = PART_BYTES
  for (const row of rows) {
    const size = jsonBytes(row)
    if (size > PART_BYTES) break
    if (bytes + size > PART_BYTES) {
      parts.push([])
      bytes = 2
    }
    parts.at(-1)!.push(row)
    bytes += size
  }
  return parts
}
