import type { Offer } from '../offers.ts'
import { html, shown } from './html.ts'
import { page, referenceLine } from './page.ts'
import { type FormPage, tokenField, whoIsSignedIn } from './sign-in.ts'

interface NothingToRead extends FormPage {
  readonly handle: string
  readonly person: string
  readonly question: string
  readonly reference: string
  readonly origin: string
  /** The endpoint that the app requested by name. */
  readonly name: string | undefined
  /** Endpoints that this person can use instead. */
  readonly offers: readonly Offer[]
}

/** The page for a person who cannot use the requested endpoint. */
export function nothingToReadPage(options: NothingToRead): Response {
  const { name, offers, origin, token, person, question, handle, headers, reference } = options
  const isEmpty = offers.length === 0
  const title = isEmpty ? 'There is nothing to read here yet' : 'You may not use this endpoint'
  return page(
    title,
    html`<div class="panel">
${
  isEmpty
    ? html`<p role="alert">This deployment has no endpoint that you may use.</p>
<p>If you are its operator, add one. If this person is in a group, the group needs it, too.</p>
<pre>npx tidegate endpoint add NAME --to ${origin}</pre>
<p>Otherwise, ask the operator. Then start again from the app.</p>`
    : html`<p role="alert">There is no endpoint <code>${name}</code> here, or you may not use it.</p>
<p>You may use these. Add the URL of one to the app instead:</p>
<ul class="stack">${offers.map((it) => html`<li><b>${shown(it.title)}</b><pre>${`${origin}/mcp/${it.name}`}</pre></li>`)}</ul>`
}
<form method="post">${tokenField(token)}<input type="hidden" name="handle" value="${handle}"><button name="decision" value="deny">Go back to the app</button></form>
${referenceLine(reference)}</div>`,
    { status: 403, headers, corner: whoIsSignedIn(person, token, question) },
  )
}
