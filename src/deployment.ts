import { waitUntil } from 'cloudflare:workers'
import {
  type AskGranted,
  grantedBy,
  type Person,
  type Shown,
  type SignInEnv,
} from './auth/index.ts'
import {
  assertCustomTools,
  ConfigError,
  type Document,
  type Endpoint,
  type GatewayIo,
  type GroupRules,
  gateway,
  isDemo,
  isName,
  type QuestionLook,
  questionWatch,
  readDocument,
  readEndpoints,
  restricted,
  type Settings,
} from './gateway/index.ts'
import {
  type Caller,
  durableChanges,
  durableSessions,
  durableStores,
  type Seal,
  type Server,
  type Sessions,
  type Stores,
  sealWith,
  sharedSeal,
} from './mcp/index.ts'
import {
  type AskRegistry,
  type CallsEnv,
  type Credential,
  callsOf,
  type DeploymentCalls,
  directory,
  type EndpointEntry,
  type Found,
  type KeyEntry,
  openCredential,
  Recent,
  registryIn,
  replicaIn,
} from './registry/index.ts'

/** Variables, secrets and bindings of the Worker, also the secrets that endpoints name. */
export interface Env extends Settings, CallsEnv, SignInEnv {
  /** The key of the operator, sent as `Authorization: Bearer`. It opens every endpoint, and the registry. */
  readonly TIDEGATE_KEY?: string
  /** Encrypts the credentials of the registry. */
  readonly TIDEGATE_SECRET?: string
  /** The secret before a rotation: what it encrypted can still be read. */
  readonly TIDEGATE_SECRET_PREVIOUS?: string
  /** Hosts of databases that may be private, separated by spaces. */
  readonly PRIVATE_HOSTS?: string
  /** Origins of web pages that may use public endpoints, separated by spaces. */
  readonly ORIGINS?: string
  /** If set, clients of `2024-11-05` may use its HTTP+SSE transport, at `/sse`. */
  readonly LEGACY_SSE?: string
  readonly DEMO: DurableObjectNamespace
  readonly SESSIONS: DurableObjectNamespace
  readonly REGISTRY: DurableObjectNamespace
  readonly AUTHORIZATION: DurableObjectNamespace
  /** How many copies of the registry answer in its place: 0, which is the default, to 64. */
  readonly REGISTRY_REPLICAS?: string
  /** The machine of the operator, where this runs on one. */
  readonly MACHINE?: GatewayIo['machine']
}

/** An endpoint as one caller gets it. */
export interface Site {
  readonly endpoint: Endpoint
  /** Whether it answers callers at all. */
  readonly active: boolean
  /** Changes when the endpoint does. */
  readonly version: number
  /** When the registry got it, in milliseconds since 1970: 0 if it is of the configuration. */
  readonly createdAt: number
  /** The credentials that its databases refer to, by id. */
  readonly credentials: Readonly<Record<string, Credential>>
  readonly privateHosts: readonly string[]
  /** The group that the caller is in, and its rules. */
  readonly group?:
    | { readonly name: string; readonly rules: GroupRules; readonly changedAt: number }
    | undefined
}

/** What a request is for, and what is known of the key that it shows. */
export interface Sought {
  /** The name in the path, or of the first endpoint. Undefined if there is none at all. */
  readonly name: string | undefined
  readonly site: Site | undefined
  readonly key: KeyEntry | undefined
  /** The key is in groups, and none of them has this endpoint. */
  readonly denied: boolean
}

/** Who looks for an endpoint: the key that they show, or the person who signed in. */
interface Seeker extends Pick<Shown, 'key'> {
  readonly person?: Person | undefined
}

/** What a deployment serves. Made once in each isolate. */
export interface Deployment {
  /** The endpoints of the configuration. */
  readonly configured: readonly Site[]
  readonly origins: readonly string[]
  /** Hosts of databases that may be private. */
  readonly privateHosts: readonly string[]
  readonly sessions: Sessions
  readonly seal: Seal
  /** Asks the registry. Undefined without an operator: then it is empty. */
  readonly registry: AskRegistry | undefined
  /** Bounds and records calls. */
  readonly calls: DeploymentCalls
  /** Why nothing can be served, for the operator to read. */
  readonly problem: string | undefined
  /** Finds the endpoint of this name, or the first one, for a caller who shows this. */
  find(name: string | undefined, shown: Seeker, address?: string): Promise<Sought>
  /** Asks what an access token grants. */
  readonly granted: AskGranted
  /** An endpoint of the registry as a site. */
  siteOf(entry: EndpointEntry): Site
  /** Forgets what this isolate knows of the registry. */
  forget(): void
  /** Notes in the background that a key was used. */
  used(key: KeyEntry): void
  /**
   * The MCP server of a site at this origin. Throws ConfigError.
   *
   * @param waits Whether it waits for a look at verified questions, if the last one is too long ago.
   */
  server(site: Site, origin?: string, waits?: boolean): Promise<Server>
  /** Looks whether the verified questions of a site work, or the one of a name. Throws ConfigError. */
  look(
    site: Site,
    asked: { readonly name?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<QuestionLook>
  /** A row of a table that may be searched. Throws ConfigError. */
  document(
    site: Site,
    id: string,
    request: Request,
    caller: Caller | undefined,
  ): Promise<Document | undefined>
  /** What of the machine a URL may use that came to the registry. Undefined in a Worker. */
  readonly lent: GatewayIo['machine']
  /** How the databases of a site are reached. */
  ioOf(site: Site): GatewayIo
  /** Where servers keep what they keep. */
  readonly keeping: { readonly stores: Stores; readonly seal: Seal }
}

/** The error of a deployment that would otherwise open a database to everybody. */
export const NO_KEY =
  'This deployment has a database but no key, so it does not serve it. Set the variable TIDEGATE_KEY. In a Worker: npx wrangler secret put TIDEGATE_KEY'

const deployments = new WeakMap<Env, Deployment>()

export function deploymentOf(env: Env): Deployment {
  let deployment = deployments.get(env)
  if (!deployment) {
    deployment = buildDeployment(env)
    deployments.set(env, deployment)
  }
  return deployment
}

function buildDeployment(env: Env): Deployment {
  const lastUses = new Map<string, number>()
  const servers = new Recent<{ readonly version: string; readonly server: Promise<Server> }>(
    MAX_SERVERS,
  )
  const watches = new Recent<{ readonly version: string; readonly watch: Watch }>(MAX_SERVERS)
  const bindings = { ...env }
  // What was sealed with an old key cannot be opened with a new one.
  const seal = env.TIDEGATE_KEY ? sealWith(env.TIDEGATE_KEY) : sharedSeal(env.SESSIONS)
  const stores = durableStores(env.SESSIONS, seal)
  const { endpoints, problem } = configured(env)
  const privateHosts = env.PRIVATE_HOSTS?.split(/[\s,]+/).filter(Boolean) ?? []
  // What the registry is told is not the word of who owns the machine: it reaches no files of theirs.
  const lent = privateHosts.includes('*') ? env.MACHINE : env.MACHINE?.guest
  const sites = endpoints.map((endpoint) => siteOf({ value: endpoint }))
  const registry = env.TIDEGATE_KEY && env.REGISTRY ? registryIn(env.REGISTRY) : undefined
  const names = endpoints.map(({ name }) => name)
  const replicas = Math.min(Number(env.REGISTRY_REPLICAS) || 0, MAX_REPLICAS)
  const replica = registry && replicaIn(env.REGISTRY, replicas)
  const known = registry && directory(registry, waitUntil, names, replica)
  const ownEndpoints = Boolean(env.ENDPOINTS || env.DATABASE_URL)

  function siteOf(
    entry: Pick<EndpointEntry, 'value'> & Partial<EndpointEntry>,
    found?: Found,
  ): Site {
    const { value: endpoint, active = true, changedAt: version = 0, createdAt = 0 } = entry
    return {
      endpoint,
      active,
      version,
      createdAt,
      credentials: { ...entry.credentials, ...found?.credentials },
      privateHosts: [...privateHosts, ...(found?.privateHosts ?? [])],
      group: found?.group ?? undefined,
    }
  }

  const ioOf = ({ credentials, endpoint, privateHosts }: Site) => ({
    fetch: (...args: Parameters<typeof fetch>) => (env.MACHINE?.fetch ?? fetch)(...args),
    bindings,
    waitUntil,
    machine: env.MACHINE,
    lent: endpoints.includes(endpoint) ? undefined : lent,
    credential(id: string) {
      const stored = credentials[id]
      const read = () => openCredential(stored!, env, privateHosts)
      return stored && { scheme: stored.scheme, read, machine: lent }
    },
  })

  // An open database does not ask again which hosts may be private.
  const versionOf = ({ version, group, privateHosts }: Site) =>
    [version, group?.changedAt, ...privateHosts].join(' ')

  // The demo never changes. For a server that may change, hosts hold a stream open.
  const carrierOf = ({ endpoint, group }: Site) =>
    isDemo(endpoint)
      ? undefined
      : durableChanges(
          () => env.SESSIONS,
          group ? `hub:${endpoint.name} ${group.name}` : `hub:${endpoint.name}`,
        )

  const watchKeyOf = ({ endpoint, group }: Site) => `${endpoint.name} ${group?.name ?? ''}`

  /** Which verified questions of a site work. Only endpoints that have any come here. */
  async function questionsOf(site: Site, waits: boolean) {
    const { QuestionWatch } = await questionWatch()
    const { endpoint } = site
    const key = watchKeyOf(site)
    const version = versionOf(site)
    const kept = watches.get(key)
    const watch =
      kept?.version === version
        ? kept.watch
        : new QuestionWatch(ruledForCallers(site), ioOf(site), carrierOf(site))
    if (watch !== kept?.watch) watches.set(key, { version, watch }, JSON.stringify(endpoint).length)
    waitUntil(watch.refresh())
    if (waits) await watch.settled()
    // A server is a value: it says what is known now.
    const { broken, version: state } = watch
    return { broken, version: state, lookAgain: (name: string) => watch.lookAgain(name) }
  }

  const calls = callsOf(env, waitUntil)
  return {
    configured: sites,
    problem,
    seal,
    registry,
    privateHosts,
    siteOf,
    calls,
    lent,
    sessions: durableSessions(env.SESSIONS, seal),
    origins: env.ORIGINS?.split(/[\s,]+/).filter(Boolean) ?? [],
    async find(name, { key: shown, person }, address) {
      const own = name === undefined ? sites[0] : sites.find((it) => it.endpoint.name === name)
      // The registry has no endpoint by a name that is none, but the key is looked up all the same.
      const named = name === undefined || isName(name)
      // A caller without a key has no groups, so an endpoint of the configuration is all there is.
      const asks = known && (shown || person || (named && (!ownEndpoints || !own)))
      const asked = own && ownEndpoints ? own.endpoint.name : (named && name) || null
      const found = asks
        ? await known.lookup(
            { endpoint: asked, key: shown?.id, person: person?.name, memberOf: person?.groups },
            address,
          )
        : undefined
      // A configuration that cannot be read takes no endpoint of the registry away, and none replaces it.
      if (problem && name === undefined)
        return { name, site: undefined, key: found?.key, denied: false }
      // The demo gives way to the endpoints of the registry.
      const stored = named && (!own || !ownEndpoints) ? found?.endpoint : undefined
      const value = stored ?? (own && { value: own.endpoint })
      return {
        name: stored?.name ?? own?.endpoint.name ?? name,
        site: value && siteOf(value, found),
        key: found?.key,
        denied: named && found?.group === null,
      }
    },
    granted: grantedBy(env),
    forget: () => known?.forget(),
    used({ id, usedAt = 0 }) {
      const at = Date.now()
      if (!registry || at - Math.max(usedAt, lastUses.get(id) ?? 0) < USE_MS) return
      if (lastUses.size >= MAX_USES) lastUses.clear()
      lastUses.set(id, at)
      waitUntil(registry('keyUsed', { id, at }).catch((error: unknown) => console.error(error)))
    },
    async server(site, origin = '', waits = true) {
      const { endpoint, group } = site
      const questions = endpoint.questions?.length ? await questionsOf(site, waits) : undefined
      // The results of a search contain this origin.
      const key = `${endpoint.name} ${group?.name ?? ''} ${endpoint.search ? origin : ''}`
      const version = `${versionOf(site)} ${questions?.version ?? ''}`
      const kept = servers.get(key)
      if (kept?.version === version) return kept.server
      const carrier = carrierOf(site)
      const io = ioOf(site)
      const server = assertCustomTools(endpoint, io).then(() => {
        ruledForCallers(site)
        return gateway(endpoint, io, {
          keeping: { stores, seal },
          carrier,
          origin,
          calls: calls.of(endpoint),
          questions,
          group: group?.name,
          rules: group?.rules,
        })
      })
      servers.set(key, { version, server }, JSON.stringify([endpoint, group]).length)
      // A fault of the configuration stays. After any other the next request tries again.
      server.catch((error: unknown) => error instanceof ConfigError || servers.delete(key))
      return server
    },
    async look(site, asked) {
      const { lookAtQuestions } = await questionWatch()
      const found = await lookAtQuestions(ruled(site), ioOf(site), asked)
      // What the operator was just told holds here for callers, too.
      const kept = watches.get(watchKeyOf(site))
      if (kept?.version === versionOf(site)) await kept.watch.learn(found)
      return found
    },
    document: (site, id, { url, signal }, caller) =>
      readDocument(ruledForCallers(site), ioOf(site), id, new URL(url).origin, { caller, signal }),
    ioOf,
    keeping: { stores, seal },
  }
}

/** Knows which verified questions of an endpoint work. */
type Watch = InstanceType<Awaited<ReturnType<typeof questionWatch>>['QuestionWatch']>

/** Each replica asks the registry every two seconds. */
const MAX_REPLICAS = 64

/** How exactly the last use of a key is known, and for how many keys an isolate remembers it. */
const USE_MS = 5 * 60_000
const MAX_USES = 10_000

/** The endpoint of a site as its group sees it. */
export const ruled = ({ endpoint, group }: Site): Endpoint =>
  group ? restricted(endpoint, group.rules) : endpoint

/** The same. Where the rules do not fit any more, callers are not told what else the endpoint has. */
function ruledForCallers(site: Site): Endpoint {
  try {
    return ruled(site)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    throw new ConfigError(
      `The rules of your group name something that the endpoint ${site.endpoint.name} does not have any more. Its operator has to mend them: the test of the group says what it is.`,
    )
  }
}

/** How many servers are kept, and the characters of their endpoints. One with a search has one for each origin. */
const MAX_SERVERS = { entries: 1_000, size: 8 * 1024 * 1024 }

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
