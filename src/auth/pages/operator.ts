import { html } from './html.ts'
import { icons, page, referenceLine } from './page.ts'
import { type FormPage, signOutForm, tokenField } from './sign-in.ts'

/** How an operator may sign in here, and what went wrong. */
export interface OperatorPage extends FormPage {
  /** Who is signed in, whom OPERATORS does not name. */
  readonly stranger: string | undefined
  /** Whether people whom OPERATORS names can sign in here. */
  readonly hasPeople: boolean
  /** Whether this runs in a Worker, and not on a machine. */
  readonly isWorker: boolean
  /** What the provider is called, if there is one. */
  readonly provider: string | undefined
  /** This page with the page of the Console that it leads to. */
  readonly question: string
  readonly status?: number
  readonly fault?: string | undefined
  readonly reference?: string | undefined
}

const IN_WORKER = html`<p class="dim">It is the secret <code>TIDEGATE_KEY</code>. On your own machine, it stands in the file <code>.dev.vars</code>. For a deployment, nobody can read it again; set another one with:</p>
<pre>npx wrangler secret put TIDEGATE_KEY</pre>`

const ON_MACHINE = html`<p class="dim">It is the variable <code>TIDEGATE_KEY</code>, in the environment of <code>npx tidegate serve</code> or in the file that <code>--vars</code> names. Without one, the command made it: it printed it at the start, and with <code>--state FILE</code> it is in <code>FILE.keys</code>. To have another one, set the variable and start again.</p>
<pre>TIDEGATE_KEY=…</pre>`

/** The page where an operator signs in. Its form posts to its own URL, so that it leads on to the same page. */
export function operatorPage(options: OperatorPage): Response {
  const {
    isWorker,
    stranger,
    hasPeople,
    provider,
    question,
    status = 200,
    fault,
    reference,
    token,
  } = options
  const people = hasPeople && stranger === undefined
  return page(
    'Sign in to the Console',
    html`<div class="panel">
${
  stranger !== undefined &&
  html`<p class="tick" role="alert"><span class="low">${icons.low}</span><span>You are signed in as <b>${stranger}</b>. This name may not open the Console: <code>OPERATORS</code> has to name it.</span></p>
${signOutForm(token, question, 'Sign out')}`
}
${
  people &&
  provider !== undefined &&
  html`<form method="post">${tokenField(token)}<button class="main" name="way" value="provider">Continue with ${provider}</button></form>
<p class="or">or</p>`
}
<form method="post">${tokenField(token)}
<input class="hidden" type="text" name="username" autocomplete="username" value="operator" aria-hidden="true" tabindex="-1" readonly>
<div class="field"><label for="key">Key of the operator</label>
<input id="key" name="key" type="password" autocomplete="current-password" maxlength="4096" required${fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`} autofocus>
${fault !== undefined && html`<p class="tick" id="fault" role="alert"><span class="bad">${icons.bad}</span><span>${fault}</span></p>`}
${referenceLine(reference)}</div>
<button${!people && html` class="main"`}>Sign in</button></form>
<details class="small"><summary>Where is the key?</summary><div class="stack">${isWorker ? IN_WORKER : ON_MACHINE}</div></details>
</div>
<p class="small dim">The Console adds databases, makes keys, and shows what was asked. It stays open with this browser for at most 12 hours.</p>`,
    { status, headers: options.headers },
  )
}
