import type { ConsentDescription } from '@cloudflare/workers-oauth-provider'
import { READ } from '../../registry/index.ts'
import type { Offer } from '../offers.ts'
import { html, type SafeHtml, shown } from './html.ts'
import { icons, page } from './page.ts'
import { type FormPage, tokenField, whoIsSignedIn } from './sign-in.ts'
import { warningsOf } from './warnings.ts'

/** The data of the consent page. */
export interface Consent extends ConsentDescription, FormPage {
  readonly handle: string
  /** The person's name. */
  readonly person: string
  /** The person's ID, since somebody else could sign in while the page is open, in another tab. */
  readonly as: string
  /** The app's request, which is the query of this page. */
  readonly question: string
  /** Endpoints that the person can let the app read. */
  readonly offers: readonly Offer[]
  /** Number of endpoints beyond these. */
  readonly more: number
  /** Days without use after which the access ends. */
  readonly days: number
  /** True if the access depends on groups, which the provider must confirm again after a day. */
  readonly endsInADay: boolean
  /** The error in the previous decision. */
  readonly fault?: string | undefined
}

/** The page where a person decides what an app may do. */
export function consentPage(consent: Consent): Response {
  const { clientName, clientDomain, person, token, fault } = consent
  const name = shown(clientName) || NAMELESS
  const warnings = warningsOf(consent)
  const isTrusted = clientDomain !== undefined && warnings.every(({ isGrave }) => !isGrave)
  const allow = decision('allow', html`Allow`, isTrusted)
  const refuse = decision('deny', html`Refuse`, !isTrusted)
  return page(
    `${name} asks to read your databases`,
    html`<form class="panel" method="post">${tokenField(token)}<input type="hidden" name="handle" value="${consent.handle}"><input type="hidden" name="as" value="${consent.as}"><input type="hidden" name="scope" value="${READ}">
${fault !== undefined && html`<p class="tick" role="alert"><span class="bad">${icons.bad}</span><span>${fault}</span></p>`}
<dl class="facts"><dt>Who asks</dt><dd><bdi>${name}</bdi><br>${vouched(clientDomain)}</dd>
<dt>The answer goes to</dt><dd><code><bdi>${shown(consent.redirectHost, 200)}</bdi></code>${consent.redirectIsLoopback && ' (this computer)'}</dd>
<dt>It acts as</dt><dd><bdi>${person}</bdi></dd></dl>
${warnings.map(({ text, isGrave }) => html`<p class="note${isGrave && ' wrong'}">${text}</p>`)}
<hr><fieldset class="stack"><legend><h2>What it may read</h2></legend>
${endpoints(consent)}</fieldset>
<hr><div class="stack"><h2>How</h2>
<p class="tick"><span class="ok">${icons.ok}</span><span>Read the databases, with the tools named above.</span></p>
<p class="tick"><span class="ok">${icons.ok}</span><span>It can never write. There is no permission for that.</span></p></div>
<hr><p class="small dim">${consent.endsInADay ? IN_A_DAY : `This ends after ${consent.days} days without use.`} The operator can end it at any time, and it ends within 10 seconds.</p>
<div class="row">${isTrusted ? [allow, refuse] : [refuse, allow]}</div></form>
<p class="small dim">Data the app reads leaves Tidegate and is then held by the operator of the app.</p>`,
    {
      heading: html`<bdi>${shown(clientName, 40) || NAMELESS}</bdi> asks to read your databases`,
      headers: consent.headers,
      status: fault === undefined ? 200 : 400,
      corner: whoIsSignedIn(person, token, consent.question),
    },
  )
}

const IN_A_DAY =
  'This lasts for a day, because groups decide here who may see what. Then you sign in again, and your provider sends your current groups.'

const NAMELESS = 'An app without a name'

/** A decision button. The Enter key presses the first one. */
const decision = (value: string, text: SafeHtml, isMain: boolean): SafeHtml =>
  html`<button${isMain && html` class="main"`} name="decision" value="${value}">${text}</button>`

const vouched = (domain: string | undefined): SafeHtml =>
  domain === undefined
    ? html`<span class="state low">${icons.low}It registered itself: its name is not verified</span>`
    : html`<span class="state ok">${icons.ok}Verified by ${shown(domain, 200)}</span>`

const endpoints = ({ offers, more }: Consent): SafeHtml =>
  html`${offers.map((it) => tick(it, it.isAsked || offers.length === 1))}
${more > 0 && html`<p class="small dim">There may be more. Each has a URL of its own, which you can add to the app.</p>`}`

const MAX_TOOLS = 12

const tick = ({ name, title, tools }: Offer, isTicked: boolean): SafeHtml =>
  html`<label class="tick"><input type="checkbox" name="endpoint" value="${name}"${isTicked && html` checked`}><span><b>${shown(title)}</b> <code class="dim">${name}</code><br><span class="small dim">${toolsIn(tools)}</span></span></label>
`

function toolsIn(tools: readonly string[]): string {
  if (tools.length === 0) return 'It has no tools, or is set up wrong.'
  const rest = tools.length - MAX_TOOLS
  return tools.slice(0, MAX_TOOLS).join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}
