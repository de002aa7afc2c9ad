import { html } from './html.ts'
import { icons, type PageOptions, page, referenceLine } from './page.ts'

/** Optional parts of an error page. */
interface ErrorPageOptions extends Pick<PageOptions, 'headers'> {
  readonly reference?: string | undefined
  /** Link to continue with: a page on this server, or the address in the message. */
  readonly next?: { readonly href: string; readonly text: string } | undefined
}

/** The page for a failed sign-in, with the reason and the next step. */
export const errorPage = (
  status: number,
  message: string,
  { headers, reference, next }: ErrorPageOptions = {},
): Response =>
  page(
    'This did not work',
    html`<div class="panel"><p class="tick" role="alert"><span class="bad">${icons.bad}</span><span>${message}</span></p>
${next && html`<p><a href="${next.href}">${next.text}</a></p>`}
${referenceLine(reference)}</div>`,
    { status, headers },
  )
