import { type Html, html } from './html.ts'
import { icons, type PageOptions, page, referenceLine } from './page.ts'

/** What a page with a form of ours needs. */
export interface FormPage {
  /** The token of the forms of this browser. */
  readonly token: string
  readonly headers?: PageOptions['headers']
}

/** How people may sign in here, and what went wrong. */
export interface SignInPage extends FormPage {
  /** What the provider is called, if there is one. */
  readonly provider: string | undefined
  readonly hasPassphrase: boolean
  /** Whether the person asks for it, or an app does. */
  readonly isForApp: boolean
  readonly status?: number
  readonly fault?: string | undefined
  readonly reference?: string | undefined
}

/** The page where a person signs in. Its form posts to its own URL, so the question is still there afterwards. */
export function signInPage(options: SignInPage): Response {
  const { provider, hasPassphrase, isForApp, status = 200, fault, reference, token } = options
  const label = hasPassphrase ? 'Passphrase, or one-time code' : 'One-time code'
  const main = provider === undefined
  return page(
    'Sign in',
    html`<div class="panel">
${
  provider !== undefined &&
  html`<form method="post">${tokenField(token)}<button class="main" name="way" value="provider">Continue with ${provider}</button></form>
<p class="or">or</p>`
}
<form method="post">${tokenField(token)}
<input class="hidden" type="text" name="username" autocomplete="username" value="tidegate" aria-hidden="true" tabindex="-1" readonly>
<div class="field"><label for="passphrase">${label}</label>
<input id="passphrase" name="passphrase" type="password" autocomplete="current-password" maxlength="1000" required${fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`}${main && html` autofocus`}>
${fault !== undefined && html`<p class="tick" id="fault" role="alert"><span class="bad">${icons.bad}</span><span>${fault}</span></p>`}
${referenceLine(reference)}</div>
<button${main && html` class="main"`}>Sign in</button></form>
<details class="small"><summary>I have neither</summary><div class="stack"><p class="dim">Ask the operator of this deployment. They can print a code that lets you in once, within ten minutes:</p>
<pre>npx tidegate signin-code</pre></div></details>
</div>
<p class="small dim">${
      isForApp
        ? 'Then you see which app asks, and decide what it may read. Nothing is allowed before that.'
        : 'An app that you add opens this page by itself.'
    }</p>`,
    { status, headers: options.headers },
  )
}

/** Who is signed in, and the way out. */
export const whoIsSignedIn = (
  name: string,
  token: string,
  { question = '', text = 'Not you? Sign out' }: { question?: string; text?: string } = {},
): Html =>
  html`<div class="who"><span>Signed in as <b>${name}</b></span>${signOutForm(token, question, text)}</div>`

/** Ends the session, and asks the same question again, if there is one. */
export const signOutForm = (token: string, question: string, text: string): Html =>
  html`<form method="post" action="/signout">${tokenField(token)}<input type="hidden" name="question" value="${question}"><button class="little">${text}</button></form>`

/** The page of somebody who is signed in and was asked nothing. */
export const signedInPage = (name: string, { token, headers }: FormPage): Response =>
  page(
    'You are signed in',
    html`<div class="panel"><p>You are signed in as <b>${name}</b>, with this browser, for at most 12 hours.</p>
<p class="dim">Add the URL of this deployment to an app: it then asks here what it may read.</p>
${signOutForm(token, '', 'Sign out')}</div>`,
    { headers },
  )

/** The page of somebody who signed in, and whom nobody has let in. */
export const notAllowedPage = (
  name: string,
  { token, headers, question, reference }: FormPage & { question: string; reference: string },
): Response =>
  page(
    'Nobody has let you in here yet',
    html`<div class="panel"><p class="tick" role="alert"><span class="low">${icons.low}</span><span>You are signed in as <b>${name}</b>. This name may use nothing here.</span></p>
<p>Ask the operator of this deployment to add it to <code>SIGN_IN_ALLOW</code>, or to a group. Then open this page again.</p>
${signOutForm(token, question, 'Sign in as somebody else')}
${referenceLine(reference)}</div>`,
    { status: 403, headers },
  )

export const tokenField = (token: string): Html =>
  html`<input type="hidden" name="form" value="${token}">`
