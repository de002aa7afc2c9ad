import type { ConsentDescription } from '@cloudflare/workers-oauth-provider'
import type { Offer } from '../server/offers.ts'
import { type Html, html, shown } from './html.ts'
import { icons, page } from './page.ts'
import { type FormPage, tokenField, whoIsSignedIn } from './sign-in.ts'
import { warningsOf } from './warnings.ts'

/** What a person is asked. */
export interface Consent extends ConsentDescription, FormPage {
  readonly handle: string
  /** Their name. */
  readonly person: string
  /** Who they are: in another tab, somebody else may sign in while the page is open. */
  readonly as: string
  /** The question of the app: the query of this page. */
  readonly question: string
  /** The endpoints that they may let it read. */
  readonly offers: readonly Offer[]
  /** How many more there may be. */
  readonly more: number
  /** After how many days without use it ends. */
  readonly days: number
  /** What was wrong with the decision before. */
  readonly fault?: string | undefined
}

/** The page where a person decides what an app may do. */
export function consentPage(consent: Consent): Response {
  const { clientName, clientDomain, redirectHost, person, token, question, days, fault } = consent
  const name = shown(clientName) || NAMELESS
  const warnings = warningsOf(consent)
  const isTrusted = clientDomain !== undefined && warnings.every(({ isGrave }) => !isGrave)
  const allow = decision('allow', html`Allow`, isTrusted)
  const refuse = decision('deny', html`Refuse`, !isTrusted)
  return page(
    `${name} asks to read your databases`,
    html`<form class="panel" method="post">${tokenField(token)}<input type="hidden" name="handle" value="${consent.handle}"><input type="hidden" name="as" value="${consent.as}"><input type="hidden" name="scope" value="db:read">
${fault !== undefined && html`<p class="tick" role="alert"><span class="bad">${icons.bad}</span><span>${fault}</span></p>`}
<dl class="facts"><dt>Who asks</dt><dd><bdi>${name}</bdi><br>${vouched(clientDomain)}</dd>
<dt>The answer goes to</dt><dd><code><bdi>${shown(redirectHost, 200)}</bdi></code>${consent.redirectIsLoopback && ' (this computer)'}</dd>
<dt>It acts as</dt><dd><bdi>${person}</bdi></dd></dl>
${warnings.map(({ text, isGrave }) => html`<p class="note${isGrave && ' wrong'}">${text}</p>`)}
<hr><fieldset class="stack"><legend><h2>What it may read</h2></legend>
${endpoints(consent)}</fieldset>
<hr><div class="stack"><h2>How</h2>
<p class="tick"><span class="ok">${icons.ok}</span><span>Read the databases, with the tools named above.</span></p>
<p class="tick"><span class="ok">${icons.ok}</span><span>It can never write. No right for that exists here.</span></p></div>
<hr><p class="small dim">This lasts until it is not used for ${days} days. The operator can end it at any time, and it ends within 10 seconds.</p>
<div class="row">${isTrusted ? [allow, refuse] : [refuse, allow]}</div></form>
<p class="small dim">What the app reads leaves this gate, and is then with whoever runs the app.</p>`,
    {
      heading: html`<bdi>${shown(clientName, 40) || NAMELESS}</bdi> asks to read your databases`,
      headers: consent.headers,
      status: fault === undefined ? 200 : 400,
      corner: whoIsSignedIn(person, token, { question }),
    },
  )
}

const NAMELESS = 'An app without a name'

/** The first button is the one that Enter presses. */
const decision = (value: string, text: Html, isMain: boolean): Html =>
  html`<button${isMain && html` class="main"`} name="decision" value="${value}">${text}</button>`

const vouched = (domain: string | undefined): Html =>
  domain === undefined
    ? html`<span class="state low">${icons.low}It registered itself: its name is not verified</span>`
    : html`<span class="state ok">${icons.ok}Verified by ${shown(domain, 200)}</span>`

const endpoints = ({ offers, more }: Consent): Html =>
  html`${offers.map((it) => tick(it, it.isAsked || offers.length === 1))}
${more > 0 && html`<p class="small dim">There may be more. Each has a URL of its own, which you can add to the app.</p>`}`

const MAX_TOOLS = 12

const tick = ({ name, title, tools }: Offer, isTicked: boolean): Html =>
  html`<label class="tick"><input type="checkbox" name="endpoint" value="${name}"${isTicked && html` checked`}><span><b>${shown(title)}</b> <code class="dim">${name}</code><br><span class="small dim">${toolsIn(tools)}</span></span></label>
`

function toolsIn(tools: readonly string[]): string {
  if (tools.length === 0) return 'It has no tools, or is set up wrong.'
  const rest = tools.length - MAX_TOOLS
  return tools.slice(0, MAX_TOOLS).join(', ') + (rest > 0 ? `, and ${rest} more` : '')
}
