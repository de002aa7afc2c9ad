import {
  callerWith,
  challengeOf,
  isFor,
  isOperator,
  issuersOf,
  opens,
  pathOf,
  READ,
  resourceOf,
  shownBy,
  type TokenFault,
  WRONG_KEY,
} from './auth/index.ts'
import { deploymentOf, type Env, NO_KEY, type Site } from './deployment.ts'
import { ConfigError, isDemo, isName } from './gateway/index.ts'
import { type Caller, codes, Refusal } from './mcp/index.ts'
import { type KeyEntry, networkOf, RegistryUnavailable, TooManyMisses } from './registry/index.ts'

/** Codes of our own refusals, outside the ranges of JSON-RPC and MCP. docs/errors.md lists them. */
export const faults = {
  inactive: 4030,
  noRight: 4031,
  insufficientScope: 4032,
  notFound: 4040,
  rateLimit: 4290,
  misconfigured: 5030,
  unavailable: 5031,
} as const

/** A request at the door: who sends it, and for what. */
export interface Visit {
  /** The first part of the path. */
  readonly route: string
  /** Undefined for a caller without a key, who may use what is open. */
  readonly caller: Caller | undefined
  /** The key of the registry by which the caller is known. */
  readonly key: KeyEntry | undefined
  /** Why what the request shows as a key opens nothing. */
  readonly wrong: string | undefined
  /** The sites of the request: the one in its path, else the first one, or all for `/doctor`. */
  readonly sites: readonly Site[]
  /** Whether a caller without a key may have this. */
  readonly open: boolean
  /** Whether the key is good, but not for this. */
  readonly lacksRight: boolean
  /** Whether the access token is good, but lacks the right to read. */
  readonly lacksScope: boolean
  /** What an access token has to be for, if this is a place where one helps. */
  readonly resource: { readonly origin: string; readonly name: string | undefined } | undefined
}

/** The routes that are about an endpoint. The API has a door of its own. */
const ASKED = ['mcp', 'sse', 'record', 'doctor']

/** Where some hosts look for the metadata of an endpoint. No endpoint has this name. */
const WELL_KNOWN = '.well-known'

/**
 * Finds out who sends a request, and for what. Refuses nobody, but throws a {@link Refusal} if the registry
 * has to be asked and does not answer.
 */
export async function visitOf(request: Request, env: Env, path: string): Promise<Visit> {
  const [, route = '', name] = path.split('/')
  const { configured, find, granted: askGranted, registry } = deploymentOf(env)
  const shown = await shownBy(request, env)
  const asked = ASKED.includes(route) && name !== WELL_KNOWN
  const from = request.headers.get('cf-connecting-ip')
  const address = from && !shown.caller ? networkOf(from) : undefined
  const { origin } = new URL(request.url)
  const place = { origin, name: name || undefined }
  const granted =
    asked && shown.token
      ? await askGranted(shown.token, resourceOf(origin, place.name), address).catch(unavailable)
      : undefined
  const sought = asked
    ? await find(place.name, { key: shown.key, person: granted?.person }, address).catch(
        unavailable,
      )
    : undefined
  // Of all endpoints at once only the operator may read, also of those in the registry.
  const all = route === 'doctor' && !name
  const sites = all ? configured : sought?.site ? [sought.site] : []
  const open = asked ? isOpen(route, sites) && !(all && registry) : true
  // The oldest transport has one address, and what is there is what is at /mcp.
  const leads = (route === 'mcp' && (!name || isName(name))) || (route === 'sse' && !name)
  const about = { route, sites, open, resource: leads && !open ? place : undefined }
  const none = {
    caller: undefined,
    key: undefined,
    wrong: undefined,
    lacksRight: false,
    lacksScope: false,
  }
  if (granted && sought) {
    const { person, scopes, allowed } = granted
    const { name = '', site } = sought
    if (!isFor(granted, place, { name, createdAt: site?.createdAt ?? 0 })) {
      return { ...about, ...none, wrong: open ? undefined : WRONG_TOKEN }
    }
    const isIn = allowed || site?.group !== undefined
    const lacksRight = route === 'doctor' ? !open : !isIn || sought.denied
    const caller = { subject: person.name, scopes }
    return { ...about, ...none, caller, lacksRight, lacksScope: !scopes.includes(READ) }
  }
  const known = shown.key && sought ? callerWith(shown.key, sought.key) : undefined
  if (known && 'caller' in known) {
    const key = sought!.key!
    const opened = sought!.name === undefined || (opens(key, sought!.name) && !sought!.denied)
    const lacksRight = route === 'doctor' ? !open : !opened
    return { ...about, ...none, caller: known.caller, key, lacksRight }
  }
  if (shown.token && asked && !open) return { ...about, ...none, wrong: WRONG_TOKEN }
  // A wrong key is not ignored where none is needed: its owner believes in it. Another text is.
  const ignored = !asked || (shown.wrong === 'other' && open)
  const wrong = known?.wrong ?? (shown.wrong && !ignored ? WRONG_KEY : undefined)
  return { ...about, ...none, caller: shown.caller, wrong }
}

/** Whether anyone may have this. Of the roles of databases only the operator may read. */
const isOpen = (route: string, sites: readonly Site[]): boolean =>
  sites.length > 0 &&
  sites.every(
    ({ endpoint }) => endpoint.access === 'public' && (route !== 'doctor' || isDemo(endpoint)),
  )

/** Why a caller may not come in, if it may not. */
export function refusalOf(
  { route, caller, key, wrong, open, sites, lacksRight, lacksScope, resource }: Visit,
  env: Env,
): Refusal | undefined {
  const challenge = (fault?: TokenFault) => ({
    'www-authenticate': challengeOf(env, resource, fault),
    'cache-control': 'no-store',
  })
  if (wrong !== undefined) {
    return new Refusal(401, wrong, challenge({ error: 'invalid_token', why: wrong }))
  }
  if (!caller && !open) {
    if (env.TIDEGATE_KEY) {
      const signsIn = resource && issuersOf(env, resource.origin).length > 0
      const signIn = route === 'sse' ? SIGN_IN_AT_MCP : SIGN_IN
      return new Refusal(401, signsIn ? signIn : SEND_KEY, challenge())
    }
    if (sites.length > 0) return new Refusal(503, NO_KEY, {}, codes.internal)
  }
  if (lacksScope) {
    const headers = challenge({ error: 'insufficient_scope', why: NO_SCOPE })
    return new Refusal(403, NO_SCOPE, headers, faults.insufficientScope)
  }
  // Whether there is such an endpoint is not said to those who may not use it.
  const notFor = key ? NOT_FOR_KEY : NOT_FOR_PERSON
  return lacksRight ? new Refusal(403, notFor, {}, faults.noRight) : undefined
}

/** Why an endpoint serves nobody, if it does not. The operator may look into it. */
export function inactivity({ route, caller, sites: [site] }: Visit): Refusal | undefined {
  if (!site || site.active) return undefined
  if (route === 'doctor' && isOperator(caller)) return undefined
  return new Refusal(403, INACTIVE, {}, faults.inactive)
}

/**
 * The endpoint that a request may use, decided again where it is served: in a session, its key may have been
 * revoked since the Worker let it in. Throws a {@link Refusal}.
 */
export async function admittedSite(request: Request, env: Env): Promise<Site> {
  const visit = await visitOf(request, env, pathOf(request))
  const refusal = refusalOf(visit, env) ?? inactivity(visit)
  if (refusal) throw refusal
  const [site] = visit.sites
  if (!site) throw new Refusal(404, NO_ENDPOINT, {}, faults.notFound)
  return site
}

/** The refusal in place of an error, if this is an endpoint that is set up wrong. */
export const orMisconfigured = (error: unknown): unknown =>
  error instanceof ConfigError ? new Refusal(503, error.message, {}, faults.misconfigured) : error

/** Throws the refusal in place of an error, if the registry could not be asked. */
export function unavailable(error: unknown): never {
  if (error instanceof TooManyMisses)
    throw new Refusal(429, TOO_MANY_MISSES, { 'retry-after': '60' }, faults.rateLimit)
  if (!(error instanceof RegistryUnavailable)) throw error
  console.error(error)
  throw new Refusal(503, UNAVAILABLE, { 'retry-after': '5' }, faults.unavailable)
}

const SEND_KEY = 'Send the key of this endpoint as Authorization: Bearer KEY.'
const SIGN_IN = 'Sign in, or send the key of this endpoint as Authorization: Bearer KEY.'
const SIGN_IN_AT_MCP =
  'Connect to /mcp instead, and sign in there; or send the key of this endpoint as Authorization: Bearer KEY.'
const WRONG_TOKEN =
  'This access token is not for this endpoint, has expired, or was revoked. Sign in again.'
const NO_SCOPE = 'This access token does not allow to read. Sign in again, and allow it.'
const NOT_FOR_PERSON = 'You may not use this endpoint. Ask its operator.'
const NOT_FOR_KEY = 'This key may not use this endpoint. Ask its operator.'
const INACTIVE = 'This endpoint is switched off. Ask its operator.'
/** The sentence for when the registry has to be asked, and does not answer. */
export const UNAVAILABLE =
  'The registry of this deployment does not answer. Try again in a few seconds.'

const TOO_MANY_MISSES =
  'Too many wrong keys or URLs came from this address. Check them, and try again in a minute.'

/** The sentence for a path without an endpoint. It repeats nothing of the path, which may hold a key. */
export const NO_ENDPOINT = 'There is no endpoint at this URL.'
