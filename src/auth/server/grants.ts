import type { GrantEntry } from '../../registry/index.ts'
import type { SignInEnv } from '../settings.ts'
import { isAllowed } from '../sign-in/allowed.ts'
import type { Person, Props } from '../sign-in/person.ts'
import type { Events } from './events.ts'
import { libraryFor } from './library.ts'
import type { Granted, Orders } from './orders.ts'
import { Rotations } from './rotation.ts'
import type { Store } from './store.ts'
import type { Turns } from './turns.ts'

/** What is kept with a grant for the operator to read. */
export interface GrantMetadata {
  readonly person: Person
  readonly client: string
  readonly clientDomain?: string | undefined
  readonly endpoints: readonly string[]
}

interface Surroundings {
  readonly store: Store
  readonly env: SignInEnv
  readonly turns: Turns
  readonly events: Events
}

/** The grants: which app acts for whom, and until when. */
export class Grants {
  readonly #around: Surroundings
  readonly #store: Store
  readonly #rotations: Rotations

  constructor(around: Surroundings) {
    this.#around = around
    this.#store = around.store
    this.#rotations = new Rotations(around.store)
  }

  /** What an access token grants. */
  async granted(token: string): Promise<Granted | undefined> {
    const found = await (await this.#api()).unwrapToken<Props>(token)
    if (!found) return undefined
    const { person, endpoints, since } = found.grant.props
    return {
      person,
      allowed: isAllowed(found.grant.props, this.#around.env),
      scopes: found.scope,
      audience: String(found.audience),
      endpoints,
      since,
      expiresAt: found.expiresAt * 1000,
    }
  }

  /** A page of grants. Those of one person are looked for among all. */
  async list({
    after,
    limit,
    person,
  }: Parameters<Orders['grants']>[0]): ReturnType<Orders['grants']> {
    const cursor = after && `${PREFIX}${after.replace('.', ':')}`
    const step = person === undefined ? limit : MAX_STEP
    const page = await this.#store.list({ prefix: PREFIX, limit: step, cursor })
    const entries: GrantEntry[] = []
    let last: string | undefined
    for (const { name, expiration = 0 } of page.keys) {
      if (entries.length === limit) break
      last = name
      const grant = (await this.#store.get(name, 'json')) as KeptGrant | null
      if (grant && (person === undefined || isOf(grant, person))) {
        entries.push(await this.#entry(grant, expiration))
      }
    }
    const isMore = !page.list_complete || last !== page.keys.at(-1)?.name
    const next = last?.slice(PREFIX.length).replace(':', '.')
    const total = this.#store.count(PREFIX)
    return { entries, total, ...(isMore && next && { next }) }
  }

  async revoke(id: string): Promise<boolean> {
    const key = this.#store.find(PREFIX, `:${id.slice(ID.length)}`)
    return key !== undefined && this.#end(key)
  }

  /** Ends what a person has. */
  async revokeOf(person: string, after?: string): ReturnType<Orders['revokeOf']> {
    const prefix = OWNED.find((it) => after?.startsWith(it)) ?? OWNED[0]!
    const page = await this.#store.list({ prefix, limit: MAX_STEP, cursor: after })
    let grants = 0
    for (const { name } of page.keys) {
      const value = (await this.#store.get(name, 'json')) as Owned | null
      if (!value || !isOf(value, person)) continue
      if (prefix !== PREFIX) await this.#store.delete(name)
      else if (await this.#end(name)) grants++
    }
    const next = page.cursor ?? OWNED[OWNED.indexOf(prefix) + 1]
    return { grants, ...(next && { next }) }
  }

  async #end(key: string): Promise<boolean> {
    const { turns, events } = this.#around
    const [, userId = '', id = ''] = key.split(':')
    const api = await this.#api()
    return turns.take(`${userId}:${id}`, async () => {
      const grant = (await this.#store.get(key, 'json')) as KeptGrant | null
      // Also one that no secret opens.
      await api.revokeGrant(id, userId)
      const { person, client } = grant?.metadata ?? {}
      const why = 'The operator revoked it.'
      events.note({ kind: 'grant revoked', person: person?.name, client, why })
      return true
    })
  }

  async #entry(grant: KeptGrant, expiration: number): Promise<GrantEntry> {
    const { person, client = '', clientDomain, endpoints = [] } = grant.metadata ?? {}
    const createdAt = grant.createdAt * 1000
    return {
      id: `${ID}${grant.id}`,
      person: person?.name ?? '',
      client,
      ...(clientDomain !== undefined && { clientDomain }),
      endpoints,
      scopes: grant.scope,
      createdAt,
      usedAt: (await this.#rotations.usedAt(grant)) ?? createdAt,
      expiresAt: expiration * 1000,
    }
  }

  async #api() {
    // What it does here is the same for every issuer.
    const library = await libraryFor('https://any.invalid', undefined, this.#around.env)
    return library.getOAuthApi({ OAUTH_KV: this.#store })
  }
}

/** What the library keeps of a grant, as far as it is shown. */
interface KeptGrant {
  readonly id: string
  readonly userId: string
  readonly scope: readonly string[]
  readonly createdAt: number
  readonly metadata?: Partial<GrantMetadata>
}

/** What belongs to a person: a grant, a session, or a code. */
interface Owned {
  readonly metadata?: Partial<GrantMetadata>
  readonly person?: Person | string | null
}

function isOf({ metadata, person }: Owned, asked: string): boolean {
  const owner = metadata?.person ?? person
  const name = typeof owner === 'string' ? owner : owner?.name
  return name !== undefined && folded(name) === folded(asked)
}

/** As groups compare names. */
const folded = (name: string) => name.normalize('NFC').toLowerCase()

const PREFIX = 'grant:'

/** How the keys begin of what belongs to people: first that by which they could get more. */
const OWNED = ['code:', 'session:', PREFIX]

/** How the operator knows the id of a grant from others. */
const ID = 'gr_'

/** Grants that are read at once. */
const MAX_STEP = 500
