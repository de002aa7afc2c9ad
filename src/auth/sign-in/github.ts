import * as z from 'zod/mini'
import { ask, askFor, type Fetch } from '../issuer/ask.ts'
import { IssuerFault } from '../issuer/fault.ts'
import { groupsIn } from './claims.ts'
import { codeOf, refusedCode } from './code.ts'
import { type IdentityProvider, isName, type Person, SignInFault } from './person.ts'
import { challengeOf, unguessable } from './pkce.ts'

/** The issuer that stands for GitHub, which has no discovery for people. */
export const GITHUB = 'https://github.com'

/** An OAuth app that is registered at GitHub. */
export interface GitHubSettings {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly scopes: readonly string[]
  /** Where GitHub is, and its API. */
  readonly web?: string | undefined
  readonly api?: string | undefined
}

const Kept = z.object({ verifier: z.string() })
const Token = z.object({ access_token: z.string() })
const User = z.object({ id: z.int().check(z.positive()) })
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
const Organisations = z.array(z.object({ login: z.string() }))
const Teams = z.array(z.object({ slug: z.string(), organization: z.object({ login: z.string() }) }))

/**
 * Signs people in at GitHub. They are named by their primary address, and their groups are their
 * organisations and teams, such as `acme` and `acme/data`: the first hundred of each.
 */
export const gitHub = (settings: GitHubSettings, fetch: Fetch): IdentityProvider => ({
  title: 'GitHub',

  async begin(redirectUri, state) {
    const { web = GITHUB, clientId, clientSecret, scopes } = settings
    if (!clientSecret) {
      throw new SignInFault('GitHub needs a secret. The operator has to set SIGN_IN_CLIENT_SECRET.')
    }
    const verifier = unguessable()
    const location = new URL('/login/oauth/authorize', web)
    location.search = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: [...new Set(['user:email', 'read:org', ...scopes])].join(' '),
      state,
      code_challenge: await challengeOf(verifier),
      code_challenge_method: 'S256',
    }).toString()
    return { location: location.href, kept: { verifier } }
  },

  async finish(callback, redirectUri, kept) {
    const { data: begun } = Kept.safeParse(kept)
    if (!begun) throw new SignInFault('This sign-in has ended. Sign in again.')
    try {
      const exchange = { code: codeOf(callback), redirectUri, verifier: begun.verifier }
      const token = await redeem(exchange, settings, fetch)
      return await personWith(token, settings, fetch)
    } catch (error) {
      throw error instanceof IssuerFault ? new SignInFault(error.message) : error
    }
  },
})

interface Exchange {
  readonly code: string
  readonly redirectUri: string
  readonly verifier: string
}

async function redeem(
  { code, redirectUri, verifier }: Exchange,
  { web = GITHUB, clientId, clientSecret = '' }: GitHubSettings,
  fetch: Fetch,
): Promise<string> {
  const form = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const url = new URL('/login/oauth/access_token', web).href
  const { json } = await ask(url, fetch, { method: 'POST', headers, body: form.toString() })
  // GitHub's refusals have the status 200.
  const { data } = Token.safeParse(json)
  if (data) return data.access_token
  throw refusedCode(z.object({ error: z.string() }).safeParse(json).data?.error)
}

async function personWith(
  token: string,
  { web = GITHUB, api = 'https://api.github.com' }: GitHubSettings,
  fetch: Fetch,
): Promise<Person> {
  const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }
  const read = async <T>(path: string, schema: z.ZodMiniType<T>): Promise<T> => {
    const { success, data } = schema.safeParse(await askFor(`${api}${path}`, fetch, { headers }))
    if (success) return data
    throw new IssuerFault('GitHub did not say who you are. Try again in a minute.')
  }
  const [{ id }, emails, organisations, teams] = await Promise.all([
    read('/user', User),
    read('/user/emails?per_page=100', Emails),
    read('/user/orgs?per_page=100', Organisations),
    read('/user/teams?per_page=100', Teams),
  ])
  const name = emails.find((it) => it.primary && it.verified)?.email
  if (name === undefined || !isName(name)) {
    throw new SignInFault('Your primary address at GitHub is not verified. Verify it there first.')
  }
  const groups = groupsIn({
    groups: [
      ...organisations.map(({ login }) => login),
      ...teams.map(({ organization, slug }) => `${organization.login}/${slug}`),
    ],
  })
  // The number stays when somebody takes another login, and is nobody else's.
  return { id: `${web} ${id}`, name, groups }
}
