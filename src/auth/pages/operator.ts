import { html } from './html.ts'
import { icons, page, referenceLine } from './page.ts'
import { type FormPage, signOutForm, tokenField } from './sign-in.ts'

/** Ways for an operator to sign in here, and the error from the last attempt. */
interface OperatorPage extends FormPage {
  /** The person who is signed in but not listed in OPERATORS. */
  readonly stranger: string | undefined
  /** True if people listed in OPERATORS can sign in here. */
  readonly hasPeople: boolean
  /** True in a Worker, false on a machine. */
  readonly isWorker: boolean
  /** The name of the provider, if there is one. */
  readonly provider: string | undefined
  /** The URL of this page, including the Console page to open next. */
  readonly question: string
  readonly status?: number | undefined
  readonly fault?: string | undefined
  readonly reference?: string | undefined
}

const IN_WORKER = html`<p class="dim">It is the secret <code>TIDEGATE_KEY</code>. On your own machine, it is in the file <code>.dev.vars</code>. For a deployment, nobody can read it again; set a new one with:</p>
<pre>npx wrangler secret put TIDEGATE_KEY</pre>`

const ON_MACHINE = html`<p class="dim">It is the variable <code>TIDEGATE_KEY</code>, in the environment of <code>npx tidegate serve</code> or in the file that <code>--vars</code> names. If it was not set, the command made a key and printed it at startup; with <code>--state FILE</code>, the key is in <code>FILE.keys</code>. To use another key, set the variable and start again.</p>
<pre>TIDEGATE_KEY=…</pre>`

/** The page where an operator signs in. Its form posts to its own URL, so the same Console page opens next. */
export function operatorPage(options: OperatorPage): Response {
  const { stranger, provider, fault, token } = options
  const people = options.hasPeople && stranger === undefined
  return page(
    'Sign in to the Console',
    html`<div class="panel">
${
  stranger !== undefined &&
  html`<p class="tick" role="alert"><span class="low">${icons.low}</span><span>You are signed in as <b>${stranger}</b>. This name may not open the Console: <code>OPERATORS</code> must list it.</span></p>
${signOutForm(token, options.question, 'Sign out')}`
}
${
  people &&
  provider !== undefined &&
  html`<form method="post">${tokenField(token)}<button class="main" name="way" value="provider">Continue with ${provider}</button></form>
<p class="or">or</p>`
}
<form method="post">${tokenField(token)}
<input class="hidden" type="text" name="username" autocomplete="username" value="operator" aria-hidden="true" tabindex="-1" readonly>
<div class="field"><label for="key">Admin key</label>
<input id="key" name="key" type="password" autocomplete="current-password" maxlength="4096" required${fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`} autofocus>
${fault !== undefined && html`<p class="tick" id="fault" role="alert"><span class="bad">${icons.bad}</span><span>${fault}</span></p>`}
${referenceLine(options.reference)}</div>
<button${!people && html` class="main"`}>Sign in</button></form>
<details class="small"><summary>Where is the admin key?</summary><div class="stack">${options.isWorker ? IN_WORKER : ON_MACHINE}</div></details>
</div>
<p class="small dim">The Console adds databases, makes keys, and shows what was asked. It stays open with this browser for at most 12 hours.</p>`,
    { status: options.status, headers: options.headers },
  )
}
