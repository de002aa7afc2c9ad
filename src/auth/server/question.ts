/** The reason that a request is answered with a page instead of a redirect to the app. */
export type QuestionReason = 'client_unknown' | 'redirect_uri_foreign' | 'page_over' | 'malformed'

/** Reports a request that our own rules refuse, before the library reads it. */
export class AuthorizationFault extends Error {
  override readonly name = 'QuestionFault'
  readonly reason: QuestionReason

  constructor(reason: QuestionReason) {
    super(`The request of the app was refused: ${reason}.`)
    this.reason = reason
  }
}

/**
 * An app's request, as a path on this server that a browser opens again after sign-in. It is never an address from a
 * request, since only the query is copied.
 *
 * @param text the URL of the page, or its query
 */
export function questionIn(text: string): string {
  const url = new URL(
    URL.canParse(text) || text.startsWith(`${OPERATOR_PAGE}?`) ? text : `/authorize?${text}`,
    ANYWHERE,
  )
  const { pathname, searchParams } = url
  if (pathname === OPERATOR_PAGE) return operatorPage(searchParams.get('to'))
  if (pathname !== '/authorize' || searchParams.size === 0) return '/signin'
  // Otherwise, a person who has just signed in again would be asked to sign in again, in an endless loop.
  const prompts = promptsIn(searchParams).filter((it) => it !== 'login')
  if (prompts.length > 0) searchParams.set('prompt', prompts.join(' '))
  else searchParams.delete('prompt')
  return `/authorize?${searchParams}`
}

/** The page where the operator signs in. */
export const OPERATOR_PAGE = '/signin/operator'

/** The URL of that page, including the Console page to open next. */
const operatorPage = (to: string | null): string =>
  `${OPERATOR_PAGE}?${new URLSearchParams({ to: consolePath(to) })}`

/** The Console page that a link points to, or else the first one. Never an address on another server. */
export function consolePath(text: string | null): string {
  if (!text || text.length > 2_000 || !URL.canParse(text, ANYWHERE)) return '/console'
  const { origin, pathname, search } = new URL(text, ANYWHERE)
  return origin === ANYWHERE && /^\/console(?:\/|$)/.test(pathname) ? pathname + search : '/console'
}

const ANYWHERE = 'https://any.invalid'

/** The prompts that an app requests (OpenID Connect Core, section 3.1.2.1). */
export const promptsIn = (params: URLSearchParams): readonly string[] =>
  (params.get('prompt') ?? '').split(' ').filter(Boolean)
