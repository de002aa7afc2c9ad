import { html, type SafeHtml } from './html.ts'
import { icons, type PageOptions, page, referenceLine } from './page.ts'

/** The parts that every page with a form needs. */
export interface FormPage {
  /** The CSRF token of this browser's forms. */
  readonly token: string
  readonly headers?: PageOptions['headers']
}

/** Ways to sign in here, and the error from the last attempt. */
export interface SignInPage extends FormPage {
  /** The name of the provider, if there is one. */
  readonly provider: string | undefined
  readonly hasPassphrase: boolean
  /** True if an app started the sign-in, false if the person did. */
  readonly isForApp: boolean
  readonly status?: number
  readonly fault?: string | undefined
  readonly reference?: string | undefined
}

/** The page where a person signs in. Its form posts to its own URL, so the app's request is still there afterwards. */
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

/** The person who is signed in, and a button to sign out. */
export const whoIsSignedIn = (name: string, token: string, question: string): SafeHtml =>
  html`<div class="who"><span>Signed in as <b>${name}</b></span>${signOutForm(token, question, 'Not you? Sign out')}</div>`

/** A button that ends the session, and then repeats the app's request if there is one. */
export const signOutForm = (token: string, question: string, text: string): SafeHtml =>
  html`<form method="post" action="/signout">${tokenField(token)}<input type="hidden" name="question" value="${question}"><button class="little">${text}</button></form>`

/** The page for a person who signed in without a request from an app. */
export const signedInPage = (name: string, { token, headers }: FormPage): Response =>
  page(
    'You are signed in',
    html`<div class="panel"><p>You are signed in as <b>${name}</b>, with this browser, for at most 12 hours.</p>
<p class="dim">Add the URL of this deployment to an app: it then asks here what it may read.</p>
${signOutForm(token, '', 'Sign out')}</div>`,
    { headers },
  )

/** The page for a person who signed in but has no access. */
export const notAllowedPage = (
  name: string,
  { token, headers, question, reference }: FormPage & { question: string; reference: string },
): Response =>
  page(
    'You do not have access here yet',
    html`<div class="panel"><p class="tick" role="alert"><span class="low">${icons.low}</span><span>You are signed in as <b>${name}</b>. This name has no access to anything here.</span></p>
<p>Ask the operator of this deployment to add it to <code>SIGN_IN_ALLOW</code>, or to a group. Then open this page again.</p>
${signOutForm(token, question, 'Sign in as somebody else')}
${referenceLine(reference)}</div>`,
    { status: 403, headers },
  )

/** The hidden field with the CSRF token, for every form. */
export const tokenField = (token: string): SafeHtml =>
  html`<input type="hidden" name="form" value="${token}">`
