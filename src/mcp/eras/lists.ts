import type { Context } from '../features/context.ts'
import { isTemplate, type ListedResource, type Page } from '../features/resource.ts'
import type { Server } from '../features/server.ts'
import type { Seal } from '../state/seal.ts'
import { invalidParams, type RpcParams } from '../wire/jsonrpc.ts'
import { MAX_SHORT_CHARS } from '../wire/limits.ts'
import type { Revision } from '../wire/revisions.ts'

/** A section of a list. Returns its items, starting at an offset. */
export type ListPart<Item> = (offset: number, context: Context) => Page<Item> | Promise<Page<Item>>

type Position = readonly [part: number, offset: number]

const PAGE_ITEMS = 100

/**
 * Makes a list method, which returns page by page with a sealed cursor.
 *
 * @param field The name of the field that holds the items in the result.
 */
export const listOf =
  <Item>(
    field: string,
    partsOf: (server: Server) => readonly ListPart<Item>[],
    describe: (item: Item, revision: Revision) => object,
  ) =>
  async (
    server: Server,
    { cursor }: RpcParams,
    context: Context,
    { seal }: { readonly seal: Seal },
  ): Promise<RpcParams> => {
    const position = await positionOf(cursor, field, seal)
    const { items, next } = await pageFrom(partsOf(server), position, context)
    return {
      [field]: items.map((it) => describe(it, context.revision)),
      nextCursor: next && (await seal.seal(next, field)),
    }
  }

async function positionOf(cursor: unknown, field: string, seal: Seal): Promise<Position> {
  if (cursor === undefined || cursor === null) return [0, 0]
  const readable = typeof cursor === 'string' && cursor.length <= MAX_SHORT_CHARS
  const position = readable && (await seal.open(cursor, field))
  if (Array.isArray(position)) return position as unknown as Position
  throw invalidParams('This cursor is not valid. List without a cursor to start again.')
}

/** One page of a list. Adds part after part until the page is full, or a part has more to come. */
async function pageFrom<Item>(
  parts: readonly ListPart<Item>[],
  [first, start]: Position,
  context: Context,
): Promise<{ items: readonly Item[]; next?: Position }> {
  const items: Item[] = []
  for (let part = first; part < parts.length; part++) {
    if (items.length >= PAGE_ITEMS) return { items, next: [part, 0] }
    const page = await parts[part]!(part === first ? start : 0, context)
    items.push(...page.items)
    if (page.next !== undefined) return { items, next: [part, page.next] }
  }
  return { items }
}

/** A part that is an array. */
export const arrayPart =
  <Item>(items: readonly Item[] = []): ListPart<Item> =>
  (offset) => {
    const end = offset + PAGE_ITEMS
    return { items: items.slice(offset, end), next: end < items.length ? end : undefined }
  }

/** A server's resources, followed by the resources that each template lists. */
export function resourceParts({ resources = [] }: Server): ListPart<ListedResource>[] {
  const parts: ListPart<ListedResource>[] = [
    arrayPart<ListedResource>(resources.filter((it) => !isTemplate(it))),
  ]
  for (const it of resources) {
    if (it.list) parts.push((offset, context) => it.list!(offset, context))
  }
  return parts
}

/** A server's templates. */
export const templateParts = ({ resources }: Server): ListPart<ListedResource>[] => [
  arrayPart<ListedResource>(resources?.filter(isTemplate)),
]
