import { waitUntil } from 'cloudflare:workers'
import {
  assertCustomTools,
  ConfigError,
  type CredentialIo,
  type Endpoint,
  gateway,
  isDemo,
  type QuestionLook,
  restricted,
} from '../gateway/index.ts'
import { BoundedMap } from '../ground/index.ts'
import { durableChanges, type Seal, type Server, type Stores } from '../mcp/index.ts'
import type { DeploymentCalls } from '../registry/index.ts'
import type { Env } from './env.ts'
import type { QuestionWatches } from './question-watches.ts'
import type { Site } from './sites.ts'

/**
 * Limits on cached servers and the characters of their endpoints. An endpoint with a search has one server per origin.
 */
const MAX_SERVERS = { entries: 1_000, size: 8 * 1024 * 1024 }

interface SiteParts {
  readonly ioOf: (site: Site) => CredentialIo
  readonly keeping: { readonly stores: Stores; readonly seal: Seal }
  readonly calls: DeploymentCalls
}

/** The MCP servers of sites. Each is made once, until its endpoint or group changes. */
export class SiteServers {
  readonly #kept = new BoundedMap<{ readonly version: string; readonly server: Promise<Server> }>(
    MAX_SERVERS,
  )
  readonly #env: Env
  readonly #parts: SiteParts
  #watches: QuestionWatches | undefined

  constructor(env: Env, parts: SiteParts) {
    this.#env = env
    this.#parts = parts
  }

  /**
   * The MCP server of a site at this origin. Throws ConfigError.
   *
   * @param waits True to wait for a check of the verified questions, if the last one is too old.
   */
  async of(site: Site, origin = '', waits = true): Promise<Server> {
    const { endpoint, group } = site
    const questions = endpoint.questions?.length
      ? await (await this.#watching()).of(this.#watched(site, ruledForCallers(site)), waits)
      : undefined
    // Search results contain this origin.
    const key = `${endpoint.name} ${group?.name ?? ''} ${endpoint.search ? origin : ''}`
    const version = `${versionOf(site)} ${questions?.version ?? ''}`
    const kept = this.#kept.get(key)
    if (kept?.version === version) return kept.server
    const { calls, ioOf, keeping } = this.#parts
    const io = ioOf(site)
    const server = assertCustomTools(endpoint, io).then(() => {
      ruledForCallers(site)
      const made = gateway(endpoint, io, {
        keeping,
        carrier: this.#carrierOf(site),
        origin,
        calls: calls.of(endpoint),
        questions,
        group: group?.name,
        rules: group?.rules,
      })
      const view = [endpoint.name, site.createdAt, group?.name ?? '', group?.changedAt ?? '']
      return { ...made, view: view.join(' ') }
    })
    this.#kept.set(key, { version, server }, JSON.stringify([endpoint, group]).length)
    // A configuration error is cached. After any other error, the next request tries again.
    server.catch((error: unknown) => error instanceof ConfigError || this.#kept.delete(key))
    return server
  }

  /** Checks the verified questions of a site, or the one with this name. Throws ConfigError. */
  async look(
    site: Site,
    asked: { readonly name?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<QuestionLook> {
    return (await this.#watching()).look(this.#watched(site, ruled(site)), asked)
  }

  /** The state of the verified questions. Its code is loaded only for endpoints that have any. */
  async #watching(): Promise<QuestionWatches> {
    const { QuestionWatches } = await import('./question-watches.ts')
    this.#watches ??= new QuestionWatches(MAX_SERVERS, waitUntil)
    return this.#watches
  }

  #watched(site: Site, endpoint: Endpoint) {
    return {
      key: `${site.endpoint.name} ${site.group?.name ?? ''}`,
      version: versionOf(site),
      endpoint,
      io: this.#parts.ioOf(site),
      changes: this.#carrierOf(site),
    }
  }

  /** The demo never changes. For a server that may change, hosts hold a stream open. */
  #carrierOf({ endpoint, group }: Site) {
    if (isDemo(endpoint)) return undefined
    const hub = group ? `hub:${endpoint.name} ${group.name}` : `hub:${endpoint.name}`
    return durableChanges(() => this.#env.SESSIONS, hub)
  }
}

/** Changes when a server has to be made again. An open database does not check again which hosts may be private. */
const versionOf = ({ version, group, privateHosts }: Site) =>
  [version, group?.changedAt, ...privateHosts].join(' ')

/** A site's endpoint as its group sees it. */
const ruled = ({ endpoint, group }: Site): Endpoint =>
  group ? restricted(endpoint, group.rules) : endpoint

/** The same for callers. If the rules no longer match, the error does not reveal the rest of the endpoint. */
function ruledForCallers(site: Site): Endpoint {
  try {
    return ruled(site)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(
      `Your group's rules name something that the endpoint ${site.endpoint.name} no longer has. Ask the operator to run the group's test and correct the rules.`,
    )
  }
}
