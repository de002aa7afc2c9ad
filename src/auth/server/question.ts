/**
 * The question of an app, as a path of this server: what a browser is shown again after a sign-in. It is never an
 * address that a request names: only its query is taken over.
 *
 * @param text the URL of the page, or its query
 */
export function questionIn(text: string): string {
  const url = new URL(URL.canParse(text) ? text : `/authorize?${text}`, 'https://any.invalid')
  const { pathname, searchParams } = url
  if (pathname !== '/authorize' || searchParams.size === 0) return '/signin'
  // Who has just signed in again is not asked to do so for ever.
  const prompts = promptsIn(searchParams).filter((it) => it !== 'login')
  if (prompts.length > 0) searchParams.set('prompt', prompts.join(' '))
  else searchParams.delete('prompt')
  return `/authorize?${searchParams}`
}

/** What an app wants a person to be asked (OpenID Connect Core, section 3.1.2.1). */
export const promptsIn = (params: URLSearchParams): readonly string[] =>
  (params.get('prompt') ?? '').split(' ').filter(Boolean)
