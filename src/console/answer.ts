import { pageHeaders } from './parts/layout.tsx'

/** What JSX makes: a text, once it is asked for one. */
export type Html = { toString(): string | Promise<string> }

/** A page as an answer. */
export const answer = (page: Html, status = 200): Response =>
  new Response(page.toString() as string, { status, headers: pageHeaders })

/** Leads a browser on after a change, so that nothing is sent twice. */
export const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
