import type { Found, KeyEntry, Lookup } from '../../src/registry/entries.ts'
import type { AskReplica } from '../../src/registry/registry.ts'
import type { AskRegistry } from '../../src/registry/registry-state.ts'

/** How long a question is under way, and the answer; or that none comes. */
export interface Hop {
  readonly there: number
  readonly back: number
  readonly fails?: boolean
}

interface Change {
  readonly version: number
  readonly kind: string
  readonly name: string
}

/** A registry in memory that answers `lookup` as the real one does, after as long as it is told to. */
export class FakeRegistry {
  /** What each name and key leads to: a number that grows with each change, or nothing. */
  readonly #truth = new Map<string, number | undefined>()
  #changes: readonly Change[] = []
  #version = 1
  #instance = 1
  #stamp = 0
  #kept: readonly [Map<string, number | undefined>, number, readonly Change[]] | undefined
  /** How the next question travels. */
  hop: Hop = { there: 1, back: 1 }
  /** What it was asked. */
  readonly asked: Lookup[] = []
  /** The truth as it was from each time on. */
  readonly history: {
    readonly at: number
    readonly truth: ReadonlyMap<string, number | undefined>
  }[] = []

  constructor() {
    this.#note()
  }

  /** Writes or deletes an endpoint, a key, or the one group. */
  change(kind: 'endpoint' | 'key' | 'group', name: string, deleted = false): void {
    this.#truth.set(`${kind} ${name}`, deleted ? undefined : ++this.#stamp)
    const change = { version: ++this.#version, kind, name }
    this.#changes = [...this.#changes, change].slice(-5)
    this.#note()
  }

  /** Remembers the present, for {@link restore}. */
  save(): void {
    this.#kept = [new Map(this.#truth), this.#version, this.#changes]
  }

  /** Begins again, with what it was when it was last saved, or with what it is. */
  restore(): void {
    this.#instance++
    if (!this.#kept) return
    const [truth, version, changes] = this.#kept
    this.#truth.clear()
    for (const [name, it] of truth) this.#truth.set(name, it)
    this.#version = version
    this.#changes = changes
    this.#note()
  }

  /** What it is now. It answers as this registry does now, whatever becomes of that. */
  copy(): (lookup: Lookup) => Found {
    const it = new FakeRegistry()
    for (const [name, is] of this.#truth) it.#truth.set(name, is)
    it.#changes = this.#changes
    it.#version = this.#version
    it.#instance = this.#instance
    return (lookup) => it.#lookup(lookup)
  }

  readonly ask: AskRegistry = (async (_: string, lookup: Lookup) => {
    this.asked.push(lookup)
    const { there, back, fails } = this.hop
    await after(there)
    const found = this.#lookup(lookup)
    await after(back)
    if (fails) throw new Error('The object is gone.')
    return found
  }) as AskRegistry

  #lookup({ since, endpoint, key }: Lookup): Found {
    const newer = this.#changes.filter(({ version }) => version > since)
    const oldest = this.#changes[0]?.version ?? 0
    const whole = since > 0 && newer.every(({ kind }) => kind !== 'group') && oldest <= since + 1
    const named = (wanted: string) =>
      newer.filter(({ kind }) => kind === wanted).map((it) => it.name)
    const found: Found = {
      instance: String(this.#instance),
      version: this.#version,
      changes: whole ? { endpoints: named('endpoint'), keys: named('key') } : 'everything',
    }
    if (endpoint === undefined) return found
    const name = endpoint ?? firstOf(this.#truth)
    const changedAt = this.#truth.get(`endpoint ${name}`)
    const stamp = this.#truth.get(`key ${key}`)
    const group = this.#truth.get('group ')
    return {
      ...found,
      ...(changedAt !== undefined && {
        endpoint: { name, changedAt } as Found['endpoint'] & object,
      }),
      ...(stamp !== undefined && { key: { id: key, createdAt: stamp } as KeyEntry }),
      ...(stamp !== undefined &&
        group !== undefined && { group: { name: 'g', rules: {}, changedAt: group } }),
    }
  }

  #note(): void {
    this.history.push({ at: Date.now(), truth: new Map(this.#truth) })
  }
}

/** A replica of it: a copy that says how old it is, as the real one does. */
export class FakeReplica {
  readonly #registry: FakeRegistry
  #copy: ((lookup: Lookup) => Found) | undefined
  #sameAt = 0
  #syncing: Promise<void> | undefined
  /** How questions to the registry travel, and for how long the answers are under way. */
  hop: Hop & { readonly answers: number } = { there: 0, back: 0, answers: 0 }
  answered = 0

  constructor(registry: FakeRegistry) {
    this.#registry = registry
  }

  readonly ask: AskReplica = async (lookup) => {
    const { fails, answers } = this.hop
    // The real one is never so old.
    if (Date.now() - this.#sameAt > 6_000) {
      this.#syncing ??= this.#sync().finally(() => {
        this.#syncing = undefined
      })
      await this.#syncing
    }
    const found = this.#copy && { ...this.#copy(lookup), age: Date.now() - this.#sameAt }
    await after(answers)
    if (fails) throw new Error('The replica is gone.')
    this.answered++
    return found
  }

  async #sync(): Promise<void> {
    const at = Date.now()
    await after(this.hop.there)
    const copy = this.#registry.copy()
    await after(this.hop.back)
    this.#copy = copy
    this.#sameAt = at
  }
}

const firstOf = (truth: ReadonlyMap<string, number | undefined>): string | undefined =>
  [...truth.keys()]
    .filter((it) => truth.get(it) !== undefined && it.startsWith('endpoint '))
    .sort()[0]
    ?.slice(9)

/** What an answer says, to be compared with the truth. */
export const saidBy = ({ endpoint, key, group }: Found): string =>
  [endpoint?.name, endpoint?.changedAt, key?.createdAt, group?.changedAt].join()

/** What the truth said then. */
export function toldBy(
  truth: ReadonlyMap<string, number | undefined>,
  { endpoint, key }: Omit<Lookup, 'since'>,
): string {
  const name = endpoint ?? firstOf(truth)
  const [changedAt, stamp] = [truth.get(`endpoint ${name}`), truth.get(`key ${key}`)]
  const group = stamp === undefined ? undefined : truth.get('group ')
  return [changedAt === undefined ? undefined : name, changedAt, stamp, group].join()
}

const after = (ms: number) => ms > 0 && new Promise((resolve) => setTimeout(resolve, ms))
