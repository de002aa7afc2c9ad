/**
 * The question of an app, as a path of this server: what a browser is shown again after a sign-in. It is never an
 * address that a request names: only its query is taken over.
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
  // Who has just signed in again is not asked to do so for ever.
  const prompts = promptsIn(searchParams).filter((it) => it !== 'login')
  if (prompts.length > 0) searchParams.set('prompt', prompts.join(' '))
  else searchParams.delete('prompt')
  return `/authorize?${searchParams}`
}

/** Where the operator signs in. */
export const OPERATOR_PAGE = '/signin/operator'

/** That page, and the page of the Console that it leads to. */
const operatorPage = (to: string | null): string =>
  `${OPERATOR_PAGE}?${new URLSearchParams({ to: consolePath(to) })}`

/** A page of the Console that a link names, else its first one: never an address elsewhere. */
export function consolePath(text: string | null): string {
  if (!text || text.length > 2_000 || !URL.canParse(text, ANYWHERE)) return '/console'
  const { origin, pathname, search } = new URL(text, ANYWHERE)
  return origin === ANYWHERE && /^\/console(?:\/|$)/.test(pathname) ? pathname + search : '/console'
}

const ANYWHERE = 'https://any.invalid'

/** What an app wants a person to be asked (OpenID Connect Core, section 3.1.2.1). */
export const promptsIn = (params: URLSearchParams): readonly string[] =>
  (params.get('prompt') ?? '').split(' ').filter(Boolean)
