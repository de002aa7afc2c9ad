import {
  type AskGranted,
  callerWith,
  isFor,
  isOperator,
  looksUnset,
  opens,
  resourceOf,
  type ShownCredentials,
  shownBy,
  UNSET_KEY,
  WRONG_KEY,
} from '../auth/index.ts'
import { isDemo, isName } from '../gateway/index.ts'
import { clientNetwork, isWeak } from '../ground/index.ts'
import type { Caller } from '../mcp/index.ts'
import { type KeyEntry, type Misses, READ, TooManyMisses } from '../registry/index.ts'
import { deploymentOf } from './deployment.ts'
import type { Env } from './env.ts'
import { unavailable } from './faults.ts'
import type { Site, SiteLookup } from './sites.ts'

/** A request on arrival: its caller and its target. */
export interface RequestAccess {
  readonly route: string
  /** Undefined for a caller without a key, who can use public endpoints. */
  readonly caller: Caller | undefined
  /** The registry key that identified the caller. */
  readonly key: KeyEntry | undefined
  /** The reason that the request's credential opens nothing. */
  readonly wrong: string | undefined
  /** Sites of the request: the one in its path, else the first one, or all for `/doctor`. */
  readonly sites: readonly Site[]
  /** True if a caller without a key can use this. */
  readonly open: boolean
  /** True if the key is valid, but not for this. */
  readonly lacksRight?: boolean
  /** True if the access token is valid, but lacks the right to read. */
  readonly lacksScope?: boolean
  /** The resource that an access token must be for, where a token would help. */
  readonly resource: { readonly origin: string; readonly name: string | undefined } | undefined
}

/** Routes of an endpoint. The API checks its callers itself. */
const ENDPOINT_ROUTES = ['mcp', 'sse', 'record', 'doctor']

/** Path at which some hosts look for an endpoint's metadata. No endpoint has this name. */
const WELL_KNOWN = '.well-known'

/**
 * Identifies a request's caller and target. Throws a {@link Refusal} only if the registry does not respond, or if too
 * many wrong keys came from the caller's network.
 */
export async function visitOf(request: Request, env: Env, path: string): Promise<RequestAccess> {
  const [, route = '', name] = path.split('/')
  const { granted: askGranted, guesses, registry, sites: known } = deploymentOf(env)
  const shown = await shownBy(request, env)
  // Only the operator can read about all endpoints at once, including those in the registry.
  const all = route === 'doctor' && !name
  // The operator must get an answer from the doctor even if the registry does not respond.
  const isDoctors = all && isOperator(shown.caller)
  const asked = ENDPOINT_ROUTES.includes(route) && name !== WELL_KNOWN && !isDoctors
  const network = clientNetwork(request.headers)
  // A weak key can be guessed on any route, so every string that could be one counts, and after too many, no string is
  // compared. A string that looks like an unset variable is a guess only if the key looks like one. A strong key is
  // always accepted.
  const { TIDEGATE_KEY: adminKey = '' } = env
  const isTried =
    shown.caller !== undefined ||
    (shown.wrong === 'unset' ? looksUnset(adminKey) : shown.wrong !== undefined)
  const weak = isTried && isWeak(adminKey)
  if (weak) countGuess(guesses, network, !shown.caller)

  const { origin } = new URL(request.url)
  const place = { origin, name: name || undefined }
  const address = shown.caller ? undefined : network
  const granted =
    asked && shown.token
      ? await askGranted(shown.token, resourceOf(origin, place.name), address).catch(unavailable)
      : undefined
  const seeker = { key: shown.key, person: granted?.person }
  const sought = asked
    ? await known.find(place.name, seeker, address).catch(unavailable)
    : undefined
  const sites = all ? known.configured : sought?.site ? [sought.site] : []
  const open = asked ? isOpen(route, sites) && !(all && registry) : true
  // The oldest transport has one address, which serves the same endpoint as /mcp.
  const leads = (route === 'mcp' && (!name || isName(name))) || (route === 'sse' && !name)
  const visit: RequestAccess = {
    route,
    sites,
    open,
    resource: leads && !open ? place : undefined,
    caller: undefined,
    key: undefined,
    wrong: undefined,
  }
  if (granted && sought) return { ...visit, ...ofPerson(granted, sought, visit, place) }
  const keyed = shown.key && sought ? callerWith(shown.key, sought.key) : undefined
  if (keyed && 'caller' in keyed) {
    const lacksRight = route === 'doctor' ? !open : !isOpenedBy(sought!)
    return { ...visit, caller: keyed.caller, key: sought!.key, lacksRight }
  }
  if (shown.token && asked && !open) return { ...visit, wrong: WRONG_TOKEN }
  // A wrong key is an error even where no key is needed, since its owner relies on it. Other text is ignored.
  const ignored = !asked || (shown.wrong !== 'key' && open)
  const wrong = keyed?.wrong ?? (ignored ? undefined : sentenceOf(shown))
  // The API explains a wrong key itself.
  const isGuess = shown.wrong !== 'unset' && (wrong ?? (route === 'api' && shown.wrong))
  if (isGuess && !weak) countGuess(guesses, network, true)
  return { ...visit, caller: shown.caller, wrong }
}

/** Counts a wrong key. Refuses a network that has sent too many. */
function countGuess(guesses: Misses, network: string | undefined, isWrong: boolean): void {
  if (!network) return
  if (guesses.tooMany(network)) unavailable(new TooManyMisses())
  if (isWrong) guesses.note(network)
}

/** The rights of a person who signed in. */
function ofPerson(
  granted: NonNullable<Awaited<ReturnType<AskGranted>>>,
  sought: SiteLookup,
  { route, open }: RequestAccess,
  place: { readonly origin: string; readonly name: string | undefined },
): Partial<RequestAccess> {
  if (granted.refused !== undefined) return { wrong: granted.refused }
  const { person, scopes, allowed } = granted
  const { name = '', site, denied } = sought
  if (!isFor(granted, place, { name, createdAt: site?.createdAt ?? 0 })) {
    return { wrong: open ? undefined : WRONG_TOKEN }
  }
  const isIn = (allowed || site?.group !== undefined) && !denied && !lacksGroup(sought)
  return {
    caller: { subject: person.name, scopes },
    lacksRight: route === 'doctor' ? !open : !isIn,
    lacksScope: !scopes.includes(READ),
  }
}

/** True if a request's key opens its endpoint. */
const isOpenedBy = (sought: SiteLookup): boolean =>
  sought.name === undefined ||
  (opens(sought.key!, sought.name) && !sought.denied && !lacksGroup(sought))

const lacksGroup = ({ site }: SiteLookup): boolean =>
  site?.endpoint.access === 'groups' && !site.group

/** The message about a request's credential that is not a key, if the credential alone shows that. */
export const sentenceOf = ({ wrong }: Pick<ShownCredentials, 'wrong'>): string | undefined =>
  wrong === 'unset' ? UNSET_KEY : wrong && WRONG_KEY

/** True if anyone can use this. Only the operator can read about database roles. */
const isOpen = (route: string, sites: readonly Site[]): boolean =>
  sites.length > 0 &&
  sites.every(
    ({ endpoint }) => endpoint.access === 'public' && (route !== 'doctor' || isDemo(endpoint)),
  )

const WRONG_TOKEN =
  'This access token is not for this endpoint, has expired, or was revoked. Sign in again.'
