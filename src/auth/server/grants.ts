import { foldName } from '../../ground/index.ts'
import type { GrantEntry } from '../../registry/index.ts'
import { isAllowed } from '../sign-in/allow.ts'
import { GROUPS_MS, groupsFault } from '../sign-in/group-list.ts'
import { isOfProvider, type Person, type Props } from '../sign-in/person.ts'
import { libraryFor } from './library.ts'
import type { AccessRights, Orders } from './orders.ts'
import type { ServerParts } from './parts.ts'
import { lastRefresh } from './rotation.ts'
import type { Store } from './store.ts'

/** Data stored with a grant for the operator to read. */
export interface GrantMetadata {
  readonly person: Person
  readonly client: string
  readonly clientDomain?: string | undefined
  readonly endpoints: readonly string[]
}

/** Lists and revokes grants. Each grant lets an app act for a person until it ends. */
export class Grants {
  readonly #parts: ServerParts
  readonly #store: Store

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.#store = parts.store
  }

  /** Looks up what an access token grants. */
  async granted(token: string): Promise<AccessRights | undefined> {
    const found = await (await this.#api()).unwrapToken<Props>(token)
    if (!found) return undefined
    const { groupsCount } = this.#parts
    const { person, endpoints, isForeign, since } = found.grant.props
    const refused = isForeign ? await groupsFault(person, since ?? 0, groupsCount) : undefined
    return {
      person,
      ...(refused !== undefined && { refused }),
      allowed: isAllowed(found.grant.props, this.#parts.env),
      scopes: found.scope,
      audience: String(found.audience),
      endpoints,
      since,
      expiresAt: found.expiresAt * 1000,
    }
  }

  /** Returns a page of grants. One person's grants are found by searching all grants. */
  async list(order: Parameters<Orders['grants']>[0]): ReturnType<Orders['grants']> {
    const { after, limit, person } = order
    const cursor = after && `${PREFIX}${after.replace('.', ':')}`
    const step = person === undefined ? limit : MAX_STEP
    const page = await this.#store.list({ prefix: PREFIX, limit: step, cursor })
    const entries: GrantEntry[] = []
    const isByGroups = await this.#parts.groupsCount()
    let last: string | undefined
    for (const { name, expiration = 0 } of page.keys) {
      if (entries.length === limit) break
      last = name
      const grant = (await this.#store.get(name, 'json')) as ListedGrant | null
      if (grant && (person === undefined || isOf(grant, person))) {
        entries.push(await this.#entry(grant, expiration, isByGroups))
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

  /** Ends all of a person's grants, sessions and codes. */
  async revokeOf(person: string, after?: string): ReturnType<Orders['revokeOf']> {
    const prefix = OWNED.find((it) => after?.startsWith(it)) ?? OWNED[0]!
    const page = await this.#store.list({ prefix, limit: MAX_STEP, cursor: after })
    let grants = 0
    for (const { name } of page.keys) {
      const value = (await this.#store.get(name, 'json')) as OwnedEntry | null
      if (!value || !isOf(value, person)) continue
      if (prefix !== PREFIX) await this.#store.delete(name)
      else if (await this.#end(name)) grants++
    }
    const next = page.cursor ?? OWNED[OWNED.indexOf(prefix) + 1]
    return { grants, ...(next && { next }) }
  }

  async #end(key: string): Promise<boolean> {
    const { turns, events } = this.#parts
    const [, userId = '', id = ''] = key.split(':')
    const api = await this.#api()
    return turns.take(`${userId}:${id}`, async () => {
      const grant = (await this.#store.get(key, 'json')) as ListedGrant | null
      // This also removes a grant that no secret can open.
      await api.revokeGrant(id, userId)
      const { person, client } = grant?.metadata ?? {}
      const why = 'The operator revoked it.'
      events.note({ kind: 'grant revoked', person: person?.name, client, why })
      return true
    })
  }

  async #entry(grant: ListedGrant, expiration: number, isByGroups: boolean): Promise<GrantEntry> {
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
      usedAt: (await lastRefresh(this.#store, grant)) ?? createdAt,
      expiresAt: Math.min(
        expiration * 1000,
        isByGroups ? endOfGroups(person, createdAt) : Number.POSITIVE_INFINITY,
      ),
    }
  }

  async #api() {
    // These methods do not depend on the issuer.
    const library = await libraryFor('https://any.invalid', undefined, this.#parts.env)
    return library.getOAuthApi({ OAUTH_KV: this.#store })
  }
}

/** The time when a grant ends if groups count, in milliseconds since 1970. */
const endOfGroups = (person: Person | undefined, createdAt: number): number =>
  isOfProvider(person) ? (person?.groupsAt ?? createdAt) + GROUPS_MS : Number.POSITIVE_INFINITY

/** The fields of the library's grant that are shown to the operator. */
interface ListedGrant {
  readonly id: string
  readonly userId: string
  readonly scope: readonly string[]
  readonly createdAt: number
  readonly metadata?: Partial<GrantMetadata>
}

/** A grant, session or code that belongs to a person. */
interface OwnedEntry {
  readonly metadata?: Partial<GrantMetadata>
  readonly person?: Person | string | null
}

function isOf({ metadata, person }: OwnedEntry, asked: string): boolean {
  const owner = metadata?.person ?? person
  const name = typeof owner === 'string' ? owner : owner?.name
  return name !== undefined && foldName(name) === foldName(asked)
}

const PREFIX = 'grant:'

/** Key prefixes of a person's values, starting with those that could be used to gain more access. */
const OWNED = ['code:', 'session:', PREFIX]

/** Prefix that tells a grant's ID apart from other IDs. */
const ID = 'gr_'

/** Maximum number of values read in one step. */
const MAX_STEP = 500
