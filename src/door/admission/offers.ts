import type { FindOffers, Offer } from '../../auth/index.ts'
import { deploymentOf } from '../deployment.ts'
import type { Env } from '../env.ts'
import type { Site } from '../sites.ts'

/** Maximum number of endpoints offered to one person. */
const MAX_OFFERS = 50

/** Finds the endpoints that a person can connect to an app, for the consent page. */
export async function offersFor(
  env: Env,
  ...[person, needsGroup, asked]: Parameters<FindOffers>
): ReturnType<FindOffers> {
  const { registry, servers, sites } = deploymentOf(env)

  async function offer(name: string | undefined): Promise<Offer | undefined> {
    const { site, denied } = await sites.find(name, { person })
    if (!site?.active || denied) return undefined
    if ((needsGroup || site.endpoint.access === 'groups') && !site.group) return undefined
    const { endpoint } = site
    return { name: endpoint.name, title: endpoint.title, tools: await toolsOf(site) }
  }

  async function toolsOf(site: Site): Promise<readonly string[]> {
    try {
      const { tools = [] } = await servers.of(site)
      return tools.filter(({ unlisted }) => !unlisted).map(({ name }) => name)
    } catch {
      // The endpoint is misconfigured. Its own page reports that.
      return []
    }
  }

  const first = await offer(asked)
  // A token for one endpoint does not open another.
  if (first && asked !== undefined) return { offers: [{ ...first, isAsked: true }], more: 0 }
  const page = await registry?.('endpoints', { limit: MAX_OFFERS })
  const names = [
    ...sites.configured.map(({ endpoint }) => endpoint.name),
    ...(page?.entries ?? []).map(({ name }) => name),
  ]
  const offers: Offer[] = first ? [{ ...first, isAsked: true }] : []
  for (const name of new Set(names.slice(0, MAX_OFFERS))) {
    const found = name === first?.name ? undefined : await offer(name)
    if (found) offers.push(found)
  }
  return { offers, more: Math.max(0, (page?.total ?? 0) - MAX_OFFERS) }
}
