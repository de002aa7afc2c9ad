// The file that docs/mcp.md calls list.ts, without anything from Tidegate.

/** A Worker's bindings. */
export interface Env {
  readonly LIST: Namespace
}

interface Namespace {
  idFromName(name: string): unknown
  get(id: unknown): { fetch(request: Request): Promise<Response> }
}

interface State {
  readonly storage: {
    readonly kv: { get<T>(key: string): T | undefined; put(key: string, value: unknown): void }
  }
}

/** The object that keeps the list. */
export class ShoppingList {
  readonly #state: State

  constructor(state: State) {
    this.#state = state
  }

  async fetch(request: Request): Promise<Response> {
    const { kv } = this.#state.storage
    const { add, remove } = (await request.json()) as Change
    const kept = (kv.get<string[]>('items') ?? []).filter((it) => it !== add && it !== remove)
    const items = add === undefined ? kept : [...kept, add]
    if (items.length > 100) return Response.json(null)
    kv.put('items', items)
    return Response.json(items)
  }
}

interface Change {
  readonly add?: string
  readonly remove?: string
}

/** Changes the list, and returns its contents. */
export async function list(env: Env, change: Change = {}): Promise<string[]> {
  const object = env.LIST.get(env.LIST.idFromName('the list'))
  const asked = new Request('https://list', { method: 'POST', body: JSON.stringify(change) })
  const items = (await (await object.fetch(asked)).json()) as string[] | null
  if (items === null) throw new Error('The list is full: remove something first.')
  return items
}
