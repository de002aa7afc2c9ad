import type { Context } from 'hono'
import type { App } from './admission.ts'
import { signsInAt, takesTokens } from './auth/index.ts'
import { notFoundPage, type PublicPlace, publicPage } from './console/index.ts'
import { deploymentOf, type Env, type Site } from './deployment.ts'
import { isName } from './gateway/index.ts'

export { asset, recordPage } from './console/index.ts'

/** Shows a person who opens `/` or an endpoint what it is, and how to add it to an app. */
export async function showPage(c: Context<App>): Promise<Response> {
  const { configured, find, problem } = deploymentOf(c.env)
  const { origin } = new URL(c.req.url)
  const [, route, name] = c.req.path.split('/')
  const asked = route === 'mcp' && name ? name : undefined
  // A link to it would say on our page whatever its writer likes.
  if (asked !== undefined && !isName(asked)) return showNotFound(c)
  // Without the registry, the page says no more than where the endpoint is.
  const first = (await find(undefined, {}).catch(() => undefined))?.site
  const site = asked ? c.var.sites[0] : first
  // The demo is there besides the endpoints of the registry, but nobody looks for it.
  const own = !first || configured.some(({ endpoint }) => endpoint === first.endpoint)
  const { bySecretUrl } = c.var
  const prefix = bySecretUrl ? `${origin}/k/KEY` : origin
  // A caller without the key reads the same of an endpoint that needs it and of one that does not exist.
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

/** Whether something is not set, as far as the settings say. */
function missing(env: Env, problem: string | undefined): PublicPlace['missing'] {
  if (!env.TIDEGATE_KEY) return 'all'
  return takesTokens(env) && env.TIDEGATE_SECRET && !problem ? undefined : 'some'
}

const isPublic = ({ active, endpoint }: Site): boolean => active && endpoint.access === 'public'

/** Shows a person that there is nothing at this path. */
export const showNotFound = (c: Context<App>): Response =>
  notFoundPage(`${new URL(c.req.url).origin}/mcp`)
