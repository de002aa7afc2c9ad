import type { SignInEnv } from '../settings.ts'
import { isAllowed } from '../sign-in/allowed.ts'
import type { Person, Props } from '../sign-in/person.ts'
import { libraryFor } from './library.ts'
import type { GrantEntry, Granted, Orders } from './orders.ts'
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

/** The grants: which app acts for whom, and until when. */
export class Grants {
  readonly #store: Store
  readonly #env: SignInEnv
  readonly #turns: Turns
  readonly #rotations: Rotations

  constructor(store: Store, env: SignInEnv, turns: Turns) {
    this.#store = store
    this.#env = env
    this.#turns = turns
    this.#rotations = new Rotations(store)
  }

  /** What an access token grants. */
  async granted(token: string): Promise<Granted | undefined> {
    const found = await (await this.#api()).unwrapToken<Props>(token)
    if (!found) return undefined
    const { person, endpoints } = found.grant.props
    return {
      person,
      allowed: isAllowed(found.grant.props, this.#env),
      scopes: found.scope,
      audience: String(found.audience),
      endpoints,
      expiresAt: found.expiresAt * 1000,
    }
  }

  async list({ after = '', limit }: Parameters<Orders['grants']>[0]): ReturnType<Orders['grants']> {
    const { keys } = await this.#store.list({ prefix: PREFIX, limit: limit + 1, cursor: after })
    const entries: GrantEntry[] = []
    for (const { name, expiration = 0 } of keys.slice(0, limit)) {
      const grant = await this.#store.get(name, 'json')
      if (!grant) continue
      const { person, client, clientDomain, endpoints } = grant.metadata as GrantMetadata
      entries.push({
        id: grant.id,
        person: person.name,
        client,
        ...(clientDomain !== undefined && { clientDomain }),
        endpoints,
        scopes: grant.scope,
        createdAt: grant.createdAt * 1000,
        usedAt: (await this.#rotations.usedAt(grant)) ?? grant.createdAt * 1000,
        expiresAt: expiration * 1000,
      })
    }
    const more = keys.length > limit
    const total = this.#store.count(PREFIX)
    return { entries, total, ...(more && { next: keys[limit - 1]!.name }) }
  }

  async revoke(id: string): Promise<boolean> {
    let cursor: string | undefined
    do {
      const page = await this.#store.list({ prefix: PREFIX, cursor })
      const found = page.keys.find(({ name }) => name.endsWith(`:${id}`))
      if (found) {
        const [, userId = ''] = found.name.split(':')
        const api = await this.#api()
        await this.#turns.take(`${userId}:${id}`, () => api.revokeGrant(id, userId))
        return true
      }
      cursor = page.cursor
    } while (cursor)
    return false
  }

  async #api() {
    // What it does here is the same for every issuer.
    const library = await libraryFor('https://any.invalid', undefined, this.#env)
    return library.getOAuthApi({ OAUTH_KV: this.#store })
  }
}

const PREFIX = 'grant:'
