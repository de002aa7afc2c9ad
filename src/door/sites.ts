import { waitUntil } from 'cloudflare:workers'
import type { Person, ShownCredentials } from '../auth/index.ts'
import {
  ConfigError,
  type Endpoint,
  type GroupRules,
  isName,
  readEndpoints,
} from '../gateway/index.ts'
import {
  type AskRegistry,
  type Credential,
  directory,
  type EndpointEntry,
  type KeyEntry,
  type LookupResult,
} from '../registry/index.ts'
import { type Env, listIn } from './env.ts'

/** An endpoint as one caller sees it. */
export interface Site {
  readonly endpoint: Endpoint
  readonly active: boolean
  /** Changes when the endpoint does. */
  readonly version: number
  /** Time when it was added to the registry, in milliseconds since 1970, or 0 if it comes from the configuration. */
  readonly createdAt: number
  readonly credentials: Readonly<Record<string, Credential>>
  readonly privateHosts: readonly string[]
  /** The caller's group, and its rules. */
  readonly group?:
    | { readonly name: string; readonly rules: GroupRules; readonly changedAt: number }
    | undefined
}

/** Result of a lookup: the endpoint of a request, and facts about its key. */
export interface SiteLookup {
  /** The name in the path, or the name of the first endpoint. Undefined if there are no endpoints. */
  readonly name: string | undefined
  readonly site: Site | undefined
  readonly key: KeyEntry | undefined
  /** True if the caller is in groups, but none of them includes this endpoint. */
  readonly denied: boolean
}

/** A caller looking for an endpoint: a key, or the person who signed in. */
interface Seeker extends Pick<ShownCredentials, 'key'> {
  readonly person?: Person | undefined
}

/** A deployment's endpoints: those in the configuration, and those in the registry. */
export class Sites {
  readonly configured: readonly Site[]
  /** Reason that nothing can be served, for the operator to read. */
  readonly problem: string | undefined
  /** Database hosts that are allowed to be private. */
  readonly privateHosts: readonly string[]
  readonly #registry: ReturnType<typeof directory> | undefined
  /** False if the configuration contains only the demo. */
  readonly #isSet: boolean

  constructor(env: Env, ask: AskRegistry | undefined) {
    const { endpoints, problem } = configured(env)
    this.problem = problem
    this.privateHosts = listIn(env.PRIVATE_HOSTS)
    this.configured = endpoints.map((endpoint) => this.siteOf({ value: endpoint }))
    const names = endpoints.map(({ name }) => name)
    this.#registry = ask && directory(ask, waitUntil, names)
    this.#isSet = Boolean(env.ENDPOINTS || env.DATABASE_URL)
  }

  /** Finds the endpoint with this name, or the first one, for this caller. */
  async find(
    name: string | undefined,
    { key: shown, person }: Seeker,
    address?: string,
  ): Promise<SiteLookup> {
    const own = this.configured.find(({ endpoint }) => name === undefined || endpoint.name === name)
    // The registry has no endpoint with an invalid name, but the key is looked up anyway.
    const named = name === undefined || isName(name)
    // A caller without a key has no groups, so an endpoint in the configuration is enough.
    const asks = shown || person || (named && (!this.#isSet || !own))
    const asked = own && this.#isSet ? own.endpoint.name : (named && name) || null
    const lookup = {
      endpoint: asked,
      key: shown?.id,
      person: person?.name,
      memberOf: person?.groups,
    }
    const found = asks ? await this.#registry?.lookup(lookup, address) : undefined
    // If the configuration cannot be read, endpoints in the registry still work by name, but none of them takes the
    // place of the first configured one.
    if (this.problem && name === undefined)
      return { name, site: undefined, key: found?.key, denied: false }
    // Endpoints in the registry replace the demo.
    const stored = named && (!own || !this.#isSet) ? found?.endpoint : undefined
    const value = stored ?? (own && { value: own.endpoint })
    return {
      name: stored?.name ?? own?.endpoint.name ?? name,
      site: value && this.siteOf(value, found),
      key: found?.key,
      denied: named && found?.group === null,
    }
  }

  siteOf(entry: Pick<EndpointEntry, 'value'> & Partial<EndpointEntry>, found?: LookupResult): Site {
    const { value: endpoint, active = true, changedAt: version = 0 } = entry
    return {
      endpoint,
      active,
      version,
      createdAt: entry.restoredAt ?? entry.createdAt ?? 0,
      credentials: { ...entry.credentials, ...found?.credentials },
      privateHosts: [...this.privateHosts, ...(found?.privateHosts ?? [])],
      group: found?.group ?? undefined,
    }
  }

  forget(): void {
    this.#registry?.forget()
  }
}

function configured(env: Env): {
  readonly endpoints: readonly Endpoint[]
  readonly problem: string | undefined
} {
  try {
    return { endpoints: readEndpoints(env), problem: undefined }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { endpoints: [], problem: error.message }
  }
}
