import { randomText } from '../../ground/index.ts'
import { html, SafeHtml } from './html.ts'
import { STYLE } from './style.ts'

/** Options of a page. */
export interface PageOptions {
  readonly status?: number | undefined
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined
  /** The heading, if it differs from the title. */
  readonly heading?: SafeHtml | undefined
  /** The right side of the bar: the person who is signed in. */
  readonly corner?: SafeHtml | undefined
}

/**
 * A sign-in page. It runs no scripts, loads nothing, and cannot be framed or cached. The policy has no `form-action`,
 * which would block a form's redirect to the app.
 */
export function page(
  title: string,
  body: SafeHtml,
  { status = 200, headers: more, corner, heading }: PageOptions = {},
): Response {
  const nonce = randomText(22)
  const headers = new Headers(more)
  headers.set('content-type', 'text/html; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.set(
    'content-security-policy',
    `default-src 'none'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'`,
  )
  headers.set('x-frame-options', 'DENY')
  headers.set('x-content-type-options', 'nosniff')
  // With `no-referrer`, forms would send no origin.
  headers.set('referrer-policy', 'same-origin')
  headers.set('x-robots-tag', 'noindex')
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tidegate</title>
<style nonce="${nonce}">${new SafeHtml(STYLE)}</style>
</head>
<body>
<header><div><span class="brand">${MARK}Tidegate</span>${corner}</div></header>
<main><h1>${heading ?? title}</h1>
${body}
</main>
</body>
</html>
`
  return new Response(text, { status, headers })
}

const MARK = html`<svg width="26" height="26" viewBox="0 0 32 32" fill="none" aria-hidden="true"><path d="M5 6h22M15.5 6l5.5 10.5" stroke="currentColor" stroke-width="3.6" stroke-linecap="round"/><path class="water" d="M3.5 16.2c0-.8.5-1.2 1.2-1.2h6.8c6.8 0 5.2 7.5 12 7.5h3.8c.8 0 1.2.4 1.2 1.2V27c0 .8-.4 1.2-1.2 1.2H4.7c-.7 0-1.2-.4-1.2-1.2z"/></svg>`

const icon = (path: string): SafeHtml =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${new SafeHtml(path)}</svg>`

/** The icons of states. Each state has its own shape and a word next to it, so it never depends on color alone. */
export const icons = {
  ok: icon('<circle cx="8" cy="8" r="6.6"/><path d="M5.2 8.2l2 2 3.6-4"/>'),
  low: icon('<path d="M8 1.9l6.6 11.6H1.4z"/><path d="M8 6.3v3.2M8 11.6v.1"/>'),
  bad: icon(
    '<path d="M5.2 1.4h5.6l3.8 3.8v5.6l-3.8 3.8H5.2l-3.8-3.8V5.2z"/><path d="M8 4.6v4M8 11.2v.1"/>',
  ),
} as const

/** The reference that a person gives to the operator when they ask for help. */
export const referenceLine = (reference: string | undefined): SafeHtml | undefined =>
  reference === undefined
    ? undefined
    : html`<p class="small dim">Reference <code>${reference}</code>, if you ask the operator for help.</p>`
