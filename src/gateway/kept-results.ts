import type { Cell, Column, Rows } from '../database/index.ts'
import { type Caller, type Seal, type SessionStore, type Stores, ToolError } from '../mcp/index.ts'
import { jsonBytes } from './answer.ts'

/** Where results are kept: stores that expire, and the seal of what is in them. */
export interface ResultStorage {
  readonly stores: Stores
  readonly seal: Seal
}

/** A result as it was kept. Its cells are not cut. */
export interface KeptResult {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
}

/** The large results of the callers of one endpoint, each in a store that expires. */
export interface KeptResults {
  /** Differs for each server: one with other rules or another role answers anew. */
  readonly server: number
  /** Keeps a result for this caller alone, and gives back its URI. */
  keep(result: Pick<Rows, 'columns' | 'rows'>, caller: Caller | undefined): Promise<string>
  /** Reads a kept result. Throws {@link ToolError} if this caller has none with this handle. */
  read(handle: string, caller: Caller | undefined): Promise<KeptResult>
}

/** Bytes of a part as JSON. Sealed and in Base64, it still fits a value of a store. */
const PART_BYTES = 90_000

/** A result that is not used for this long is deleted. */
export const KEPT_MS = 30 * 60_000

/** How the URI of a kept result begins. */
export const SCHEME = 'result://'

/** The handle in the URI of a result, or of a part of it. */
export const handleOf = (uri: string): string | undefined =>
  /^result:\/\/([\w.-]+)(?:\/\w*)?$/.exec(uri)?.[1]

/** What rows may depend on besides the subject: somebody may call with several keys. */
export const viewOf = (caller: Caller | undefined): string =>
  JSON.stringify([caller?.claims, caller?.scopes])

let servers = 0

/**
 * Results in stores that are signed for their callers and for this endpoint; and for what restricts them
 * there, so that under other rules nobody reads on.
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
    // A store is signed for a path. This one is the same for each route to the endpoint.
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
        // Undefined if the key of the deployment has changed, or what the caller may see.
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

async function digestOf(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `/${Array.from(new Uint8Array(bytes), (it) => it.toString(16).padStart(2, '0')).join('')}`
}

const gone = () => new ToolError('This result is gone: run the statement again.')

/** Rows in parts that a store takes. A row that is too large is left out, with all rows after it. */
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
