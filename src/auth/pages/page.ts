/** Text as HTML shows it. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`)

/**
 * A page of the sign-in. It runs no script, loads nothing, and is neither framed nor kept. A form may lead on to the
 * app by a redirect, which `form-action` would stop.
 */
export function page(
  status: number,
  title: string,
  body: string,
  more: Headers | Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers(more)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.set(
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  )
  headers.set('x-frame-options', 'DENY')
  headers.set('x-content-type-options', 'nosniff')
  headers.set('referrer-policy', 'same-origin')
  headers.set('x-robots-tag', 'noindex')
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<h1>${escaped(title)}</h1>
${body}
</html>`
  return new Response(text, { status, headers })
}
