import type { Cell, Column, Rows } from '../database/index.ts'
import { type Caller, type Seal, type SessionStore, type Stores, ToolError } from '../mcp/index.ts'

/** Where results are kept: places that end by themselves, and what seals what lies there. */
export interface Keeping {
  readonly stores: Stores
  readonly seal: Seal
}

/** A result as it was kept, with its cells whole. */
export interface Kept {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly Cell[])[]
}

/** The large results of one endpoint's callers: each in a separate place, for a while. */
export interface Results {
  /** Keeps a result for this caller alone, and says under which URI. */
  keep(result: Pick<Rows, 'columns' | 'rows'>, caller: Caller | undefined): Promise<string>
  /** What is kept under a handle. Throws {@link ToolError} if there is nothing for this caller. */
  read(handle: string, caller: Caller | undefined): Promise<Kept>
}

/** Bytes of a part as JSON: sealed, and written in base64, it still fits a value of a store. */
const PART = 90_000

/** Without use for so long, nothing is left of a result. Stores are made for this. */
export const KEPT_MS = 30 * 60_000

export const SCHEME = 'result://'

/** The handle in the URI of a result, or in that of a part of one. */
export const handleOf = (uri: string): string | undefined =>
  /^result:\/\/([\w.-]+)(?:\/\w*)?$/.exec(uri)?.[1]

/** Results in stores that are signed for their callers and for this endpoint. */
export function resultsOf(endpoint: string, { stores, seal }: Keeping): Results {
  const open = (handle: string | undefined, caller: Caller | undefined): Promise<SessionStore> => {
    // A store is signed for a path: that of an endpoint, by whichever route it was asked.
    const request = new Request(`https://results/${endpoint}`)
    return stores.open(handle, { request, caller })
  }
  return {
    async keep({ columns, rows }, caller) {
      const store = await open(undefined, caller)
      const parts = partsOf(rows)
      const all = [{ columns, parts: parts.length }, ...parts]
      await Promise.all(
        all.map(async (it, i) => {
          await store.put(`${i}`, await seal.seal(it, `${store.handle} ${i}`))
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
        const found = await seal.open(String(sealed), `${handle} ${i}`)
        // A key of the deployment that has changed since opens nothing any more.
        if (found === undefined) throw gone()
        return found
      }
      const { columns, parts } = (await part(0)) as { columns: readonly Column[]; parts: number }
      const all = Array.from({ length: parts }, (_, i) => part(i + 1) as Promise<Kept['rows']>)
      return { columns, rows: (await Promise.all(all)).flat() }
    },
  }
}

const gone = () => new ToolError('This result is gone: run the statement again.')

/** Rows in parts that a store takes. A row that is larger than that is left out, with all behind it. */
function partsOf(rows: Kept['rows']): readonly Kept['rows'][] {
  const parts: (readonly Cell[])[][] = []
  let bytes = PART
  for (const row of rows) {
    const size = encoder.encode(JSON.stringify(row)).byteLength + 1
    if (size > PART) break
    if (bytes + size > PART) {
      parts.push([])
      bytes = 2
    }
    parts.at(-1)!.push(row)
    bytes += size
  }
  return parts
}

const encoder = new TextEncoder()
