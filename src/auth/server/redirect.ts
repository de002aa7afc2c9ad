/** Redirects a browser without repeating its POST. */
export function seeOther(location: string, more?: HeadersInit): Response {
  const headers = new Headers(more)
  headers.set('location', location)
  headers.set('cache-control', 'no-store')
  return new Response(null, { status: 303, headers })
}

/**
 * The redirect after a sign-in. If it goes to the Console, the proof is in the fragment: no server sees it, and only a
 * page on this port can read it. Other pages can redirect to an app, which would receive the fragment.
 */
export const signedInTo = (to: string, proof: string | undefined, headers: Headers): Response =>
  seeOther(proof && LEADS_TO_CONSOLE.test(to) ? `${to}#proof=${proof}` : to, headers)

const LEADS_TO_CONSOLE = /^\/(?:console|signin\/operator)(?:[/?]|$)/
