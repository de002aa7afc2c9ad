import { html } from './html.ts'
import { icons, type PageOptions, page, referenceLine } from './page.ts'

/** What a page says besides why something did not work. */
interface ErrorPageOptions extends Pick<PageOptions, 'headers'> {
  readonly reference?: string | undefined
  /** A page of ours where one may go on, and what that is called. */
  readonly next?: { readonly href: string; readonly text: string } | undefined
}

/** Says why a sign-in did not work, and what to do. */
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
