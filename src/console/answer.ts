import { pageHeaders } from './parts/layout.tsx'

/** Output of JSX: becomes text through `toString`. */
export type HtmlChunk = { toString(): string | Promise<string> }

/** Response with a page. */
export const answer = (page: HtmlChunk, status = 200): Response =>
  new Response(page.toString() as string, { status, headers: pageHeaders })

/** Redirects a browser after a change, so that a reload does not send the form twice. */
export const seeOther = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })

/** Response with a file to save. */
export const download = (body: BodyInit | null, type: string, name: string): Response =>
  new Response(body, {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  })
