import type { Context } from 'hono'
import { signsInAt, takesTokens } from '../../auth/index.ts'
import { notFoundPage, type PublicPlace, publicPage } from '../../console/index.ts'
import { isName } from '../../gateway/index.ts'
import type { App } from '../admission/admission.ts'
import { deploymentOf } from '../deployment.ts'
import type { Env } from '../env.ts'
import type { Site } from '../sites.ts'

export { asset } from '../../console/index.ts'

/** Shows a person who opens `/` or an endpoint in a browser how to add it to an app. */
export async function showPage(c: Context<App>): Promise<Response> {
  const { sites } = deploymentOf(c.env)
  const { configured, problem } = sites
  const { origin } = new URL(c.req.url)
  const [, route, name] = c.req.path.split('/')
  const asked = route === 'mcp' && name ? name : undefined
  // Otherwise anyone could put any text on our page with a link.
  if (asked !== undefined && !isName(asked)) return showNotFound(c)
  // Without the registry, the page shows only the endpoint's address.
  const first = (await sites.find(undefined, {}).catch(() => undefined))?.site
  const site = asked ? c.var.sites[0] : first
  // The demo exists alongside the registry's endpoints, but nobody is looking for it.
  const own = !first || configured.some(({ endpoint }) => endpoint === first.endpoint)
  const { bySecretUrl } = c.var
  const prefix = bySecretUrl ? `${origin}/k/KEY` : origin
  // Without the key, an endpoint that needs one looks the same as one that does not exist.
  const isKnown = bySecretUrl || (site !== undefined && isPublic(site))
  const signsIn = signsInAt(c.env, origin)
  const needed = signsIn ? 'sign-in' : 'key'
  const others = bySecretUrl || !own ? [] : configured.filter(isPublic)
  const place: PublicPlace = {
    address: {
      url: `${prefix}/mcp${asked ? `/${asked}` : ''}`,
      name: 'tidegate',
      access: isKnown ? 'none' : needed,
    },
    title: isKnown ? site?.endpoint.title : undefined,
    others: others
      .filter(({ endpoint }) => endpoint !== site?.endpoint)
      .map(({ endpoint }) => ({
        url: `${origin}/mcp${endpoint === configured[0]?.endpoint ? '' : `/${endpoint.name}`}`,
        title: endpoint.title,
      })),
    problem,
    isSecretUrl: bySecretUrl,
    missing: asked || bySecretUrl ? undefined : missing(c.env, problem),
  }
  return publicPage(place)
}

function missing(env: Env, problem: string | undefined): PublicPlace['missing'] {
  if (!env.TIDEGATE_KEY) return 'all'
  return takesTokens(env) && env.TIDEGATE_SECRET && !problem ? undefined : 'some'
}

const isPublic = ({ active, endpoint }: Site): boolean => active && endpoint.access === 'public'

/** The page for a path that does not exist. */
export const showNotFound = (c: Context<App>): Response =>
  notFoundPage(`${new URL(c.req.url).origin}/mcp`)
