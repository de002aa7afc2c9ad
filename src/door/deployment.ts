import { waitUntil } from 'cloudflare:workers'
import { allowLists, grantedBy } from '../auth/index.ts'
import { BoundedMap } from '../ground/index.ts'
import { durableSessions, durableStores, type Seal, sealWith, sharedSeal } from '../mcp/index.ts'
import {
  type AskRegistry,
  callsOf,
  type KeyEntry,
  keyProblem,
  Misses,
  registryIn,
  secretProblem,
} from '../registry/index.ts'
import { type Env, listIn } from './env.ts'
import { SiteServers } from './servers.ts'
import { siteIo } from './site-io.ts'
import { Sites } from './sites.ts'

export type { Env } from './env.ts'

/** The services of a deployment. Made once in each isolate. */
export type Deployment = ReturnType<typeof buildDeployment>

const deployments = new WeakMap<Env, Deployment>()

/** The services of the deployment with this environment, made on first use. */
export function deploymentOf(env: Env): Deployment {
  const deployment = deployments.get(env) ?? buildDeployment(env)
  deployments.set(env, deployment)
  return deployment
}

function buildDeployment(env: Env) {
  // On a machine, the command reports a weak key.
  const weak = env.MACHINE ? undefined : keyProblem(env.TIDEGATE_KEY)
  if (weak) console.warn(weak)
  const seal = sealOf(env)
  /** The stores and the seal that servers use. */
  const keeping = { stores: durableStores(env.SESSIONS, seal), seal }
  /** Sends requests to the registry. Undefined without an admin key: then the registry is empty. */
  const registry = env.TIDEGATE_KEY && env.REGISTRY ? registryIn(env.REGISTRY) : undefined
  const calls = callsOf(env, waitUntil)
  const sites = new Sites(env, registry)
  const { ioOf, lent } = siteIo(env, sites)

  /** True if the settings or a registry group name a provider's group. */
  async function groupsCount(): Promise<boolean> {
    const { namesGroup } = await allowLists()
    return namesGroup(env) || ((await registry?.('namesProviderGroup', undefined)) ?? false)
  }

  return {
    registry,
    sites,
    calls,
    keeping,
    groupsCount,
    servers: new SiteServers(env, { ioOf, keeping, calls }),
    sessions: durableSessions(env.SESSIONS, seal),
    /** Counts wrong keys by network, in this isolate. */
    guesses: new Misses(),
    origins: listIn(env.ORIGINS),
    /** Looks up the rights of an access token. */
    granted: grantedBy(env, groupsCount),
    /** Records in the background that a key was used. */
    used: usesOf(registry),
    /** Parts of the machine that URLs from the registry can use. Undefined in a Worker. */
    lent,
    ioOf,
  }
}

/** Precision of a key's last use, and the maximum number of keys for which an isolate remembers it. */
const USE_MS = 5 * 60_000
const MAX_USES = 10_000

function usesOf(registry: AskRegistry | undefined) {
  const lastUses = new BoundedMap<number>({ entries: MAX_USES })
  return ({ id, usedAt = 0 }: KeyEntry): void => {
    const at = Date.now()
    if (!registry || at - Math.max(usedAt, lastUses.get(id) ?? 0) < USE_MS) return
    lastUses.set(id, at)
    waitUntil(registry('keyUsed', { id, at }).catch((error: unknown) => console.error(error)))
  }
}

/**
 * Seals values that travel through clients. Never uses TIDEGATE_KEY: anyone who gets a session ID could try keys
 * against it offline.
 */
const sealOf = (env: Env): Seal =>
  secretProblem(env.TIDEGATE_SECRET) === undefined
    ? sealWith(env.TIDEGATE_SECRET, env.TIDEGATE_SECRET_PREVIOUS || undefined)
    : sharedSeal(env.SESSIONS)
