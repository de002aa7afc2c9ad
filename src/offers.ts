import type { FindOffers, Offer } from './auth/index.ts'
import { deploymentOf, type Env, type Site } from './deployment.ts'

/** How many endpoints are offered to one person. */
const MAX_OFFERS = 50

/** Finds the endpoints that a person may connect: for the page that asks them. */
export async function offersFor(
  env: Env,
  ...[person, needsGroup, asked]: Parameters<FindOffers>
): ReturnType<FindOffers> {
  const { configured, find, registry, server } = deploymentOf(env)

  async function offer(name: string | undefined): Promise<Offer | undefined> {
    const { site, denied } = await find(name, { person })
    if (!site?.active || denied || (needsGroup && !site.group)) return undefined
    const { endpoint } = site
    return { name: endpoint.name, title: endpoint.title, tools: await toolsOf(site) }
  }

  async function toolsOf(site: Site): Promise<readonly string[]> {
    try {
      const { tools = [] } = await server(site)
      return tools.filter(({ unlisted }) => !unlisted).map(({ name }) => name)
    } catch {
      // The endpoint is set up wrong. That is said where it is used.
      return []
    }
  }

  const first = await offer(asked)
  // A token for one endpoint opens no other.
  if (first && asked !== undefined) return { offers: [{ ...first, isAsked: true }], more: 0 }
  const page = await registry?.('endpoints', { limit: MAX_OFFERS })
  const names = [
    ...configured.map(({ endpoint }) => endpoint.name),
    ...(page?.entries ?? []).map(({ name }) => name),
  ]
  const offers: Offer[] = first ? [{ ...first, isAsked: true }] : []
  for (const name of new Set(names.slice(0, MAX_OFFERS))) {
    const found = name === first?.name ? undefined : await offer(name)
    if (found) offers.push(found)
  }
  return { offers, more: Math.max(0, (page?.total ?? 0) - MAX_OFFERS) }
}
