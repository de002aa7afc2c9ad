import type { KeyEntry, LookupResult, RegistryLookup } from '../../src/registry/state/entries.ts'
import type { AskRegistry } from '../../src/registry/state/registry-state.ts'

/** The time that a lookup and its result each take, and whether the lookup fails. */
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

/** A registry in memory that answers `lookup` as the real one does, after a set time. */
export class FakeRegistry {
  /** The value for each name and key, which is a number that grows with each change, or nothing. */
  readonly #truth = new Map<string, number | undefined>()
  #changes: readonly Change[] = []
  #version = 1
  #instance = 1
  #stamp = 0
  #kept: readonly [Map<string, number | undefined>, number, readonly Change[]] | undefined
  /** The times for the next lookup. */
  hop: Hop = { there: 1, back: 1 }
  /** The lookups so far. */
  readonly asked: RegistryLookup[] = []
  /** The state from each time on. */
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

  /** Remembers the current state, for {@link restore}. */
  save(): void {
    this.#kept = [new Map(this.#truth), this.#version, this.#changes]
  }

  /** Starts again, with the state that was last saved, or else with the current state. */
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

  readonly ask: AskRegistry = (async (_: string, lookup: RegistryLookup) => {
    this.asked.push(lookup)
    const { there, back, fails } = this.hop
    await after(there)
    const found = this.#lookup(lookup)
    await after(back)
    if (fails) throw new Error('The object is gone.')
    return found
  }) as AskRegistry

  #lookup({ since, endpoint, key }: RegistryLookup): LookupResult {
    const newer = this.#changes.filter(({ version }) => version > since)
    const oldest = this.#changes[0]?.version ?? 0
    const whole = since > 0 && newer.every(({ kind }) => kind !== 'group') && oldest <= since + 1
    const named = (wanted: string) =>
      newer.filter(({ kind }) => kind === wanted).map((it) => it.name)
    const found: LookupResult = {
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
        endpoint: { name, changedAt } as LookupResult['endpoint'] & object,
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

const firstOf = (truth: ReadonlyMap<string, number | undefined>): string | undefined =>
  [...truth.keys()]
    .filter((it) => truth.get(it) !== undefined && it.startsWith('endpoint '))
    .sort()[0]
    ?.slice(9)

/** A result's content, to be compared with the true state. */
export const saidBy = ({ endpoint, key, group }: LookupResult): string =>
  [endpoint?.name, endpoint?.changedAt, key?.createdAt, group?.changedAt].join()

/** The content that was true then. */
export function toldBy(
  truth: ReadonlyMap<string, number | undefined>,
  { endpoint, key }: Omit<RegistryLookup, 'since'>,
): string {
  const name = endpoint ?? firstOf(truth)
  const [changedAt, stamp] = [truth.get(`endpoint ${name}`), truth.get(`key ${key}`)]
  const group = stamp === undefined ? undefined : truth.get('group ')
  return [changedAt === undefined ? undefined : name, changedAt, stamp, group].join()
}

const after = (ms: number) => ms > 0 && new Promise((resolve) => setTimeout(resolve, ms))
