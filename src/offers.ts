import type { FindOffers, Offer } from './auth/index.ts'
import { deploymentOf, type Env, type Site } from './deployment.ts'

/** How many endpoints are offered to one person. */
const MAX_OFFERS = 50

/** Finds the endpoints that a person may connect: for the page that asks them. */
export async function offersFor(
  env: Env,
  ...[person, isForeign, asked]: Parameters<FindOffers>
): ReturnType<FindOffers> {
  const { configured, find, registry, server } = deploymentOf(env)
  const offers: Offer[] = []

  async function offer(name: string | undefined): Promise<void> {
    const { site, denied } = await find(name, { person })
    if (!site?.active || denied || (isForeign && !site.group)) return
    if (offers.some((it) => it.name === site.endpoint.name)) return
    offers.push({ ...named(site), tools: await toolsOf(site) })
  }

  async function toolsOf(site: Site): Promise<readonly string[]> {
    try {
      return ((await server(site)).tools ?? []).map(({ name }) => name)
    } catch {
      // The endpoint is set up wrong. That is said where it is used.
      return []
    }
  }

  await offer(asked)
  const page = await registry?.('endpoints', { limit: MAX_OFFERS })
  const names = [
    ...configured.map(({ endpoint }) => endpoint.name),
    ...(page?.entries ?? []).map(({ name }) => name),
  ]
  for (const name of names.slice(0, MAX_OFFERS)) await offer(name)
  return { offers, more: Math.max(0, (page?.total ?? 0) - MAX_OFFERS) }
}

const named = ({ endpoint: { name, title } }: Site) => ({ name, title })
