import * as z from 'zod/mini'
import { ask, askWhole, type Fetch, IssuerFault } from '../issuer/ask.ts'
import { type CodeExchange, challengeFor, codeOf, refusedCode, unguessable } from './code.ts'
import { groupList } from './group-list.ts'
import { type IdentityProvider, isName, type Person, SignInFault } from './person.ts'

/** The issuer that stands for GitHub, which has no discovery for people. */
export const GITHUB = 'https://github.com'

/** An OAuth app registered with GitHub. */
interface GitHubSettings {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly scopes: readonly string[]
  /** The URLs of GitHub and its API. */
  readonly web?: string | undefined
  readonly api?: string | undefined
}

const Kept = z.object({ verifier: z.string() })
const Token = z.object({ access_token: z.string(), scope: z.optional(z.string()) })
const User = z.object({ id: z.int().check(z.positive()) })
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
const Organisations = z.array(z.object({ login: z.string() }))
const Teams = z.array(z.object({ slug: z.string(), organization: z.object({ login: z.string() }) }))

/**
 * Signs people in with GitHub. Their name is their primary address, and their groups are their organizations and teams,
 * such as `acme` and `acme/data`.
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
      ...(await challengeFor(verifier)),
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

async function redeem(
  { code, redirectUri, verifier }: CodeExchange,
  { web = GITHUB, clientId, clientSecret = '' }: GitHubSettings,
  fetch: Fetch,
): Promise<z.infer<typeof Token>> {
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
  // GitHub's refusals have status 200.
  const { data } = Token.safeParse(json)
  if (data) return data
  throw refusedCode(json)
}

async function personWith(
  { access_token: token, scope = '' }: z.infer<typeof Token>,
  { web = GITHUB, api = 'https://api.github.com' }: GitHubSettings,
  fetch: Fetch,
): Promise<Person> {
  const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' }
  let [isCut, isPartial] = [false, false]
  const read = async <T>(path: string, schema: z.ZodMiniType<T>) => {
    const answer = await askWhole(`${api}${path}`, fetch, { headers })
    const { success, data } = schema.safeParse(answer.json)
    if (success) return { data, headers: answer.headers }
    throw new IssuerFault('GitHub did not say who you are. Try again in a minute.')
  }
  /** Reads a list page by page. Pages are requested by number, not by the links that GitHub sends. */
  const readAll = async <T>(path: string, schema: z.ZodMiniType<readonly T[]>) => {
    const all: T[] = []
    for (let page = 1; ; page++) {
      const { data, headers } = await read(`${path}?per_page=100&page=${page}`, schema)
      all.push(...data)
      // Some organizations require their own single sign-on, and this person has not signed in there.
      isPartial ||= headers.has('x-github-sso')
      if (!/\brel="?next\b/i.test(headers.get('link') ?? '')) return all
      if (page < MAX_PAGES) continue
      isCut = true
      return all
    }
  }
  const [{ data: user }, { data: emails }, organisations, teams] = await Promise.all([
    read('/user', User),
    read('/user/emails?per_page=100', Emails),
    readAll('/user/orgs', Organisations),
    readAll('/user/teams', Teams),
  ])
  const name = emails.find((it) => it.primary && it.verified)?.email
  if (name === undefined || !isName(name)) {
    throw new SignInFault('Your primary address at GitHub is not verified. Verify it there first.')
  }
  const known = groupList([
    ...organisations.map(({ login }) => login),
    ...teams.map(({ organization, slug }) => `${organization.login}/${slug}`),
  ])
  // The scopes go to GitHub through the person's browser, so the person could have removed one from the URL.
  const isWithheld = !scope.split(/[\s,]+/).some((it) => READS_GROUPS.includes(it))
  const lacking = isWithheld ? 'withheld' : isPartial ? 'left out' : isCut ? 'cut' : undefined
  const unknownGroups = lacking ?? known.unknownGroups
  // The number stays the same if somebody changes their login, and is never reused.
  return { id: `${web} ${user.id}`, name, ...known, ...(unknownGroups && { unknownGroups }) }
}

/** Scopes with which GitHub lists all organizations and teams. GitHub reports only the widest granted one. */
const READS_GROUPS = ['read:org', 'write:org', 'admin:org']

/** Maximum number of pages in a list. People in more than 200 groups can sign in only if groups do not count. */
const MAX_PAGES = 3
