import { errorPage } from '../pages/error.ts'
import { shown } from '../pages/html.ts'
import type { SignInEnv } from '../settings.ts'
import { faultOfPassphrase } from '../sign-in/passphrase.ts'
import { SignInFault } from '../sign-in/person.ts'
import type { Authorize } from './authorize.ts'
import { DocumentFault } from './client-document.ts'
import { asHostCookies, asPlainCookies, withPlainCookies } from './cookies.ts'
import { logged } from './events.ts'
import { isFromOurPage, readForm } from './form.ts'
import { errorDescription } from './library.ts'
import { reasonOf } from './library-sentences.ts'
import type { Operators } from './operators.ts'
import { AuthorizationFault, OPERATOR_PAGE, type QuestionReason, questionIn } from './question.ts'
import type { SignIn } from './sign-in.ts'

/** Serves the pages of the authorization server. */
export class Browsing {
  readonly #env: SignInEnv
  readonly #authorize: Authorize
  readonly #pages: Readonly<Record<string, BrowserPage>>

  constructor(env: SignInEnv, signIn: SignIn, authorize: Authorize, operators: Operators) {
    this.#env = env
    this.#authorize = authorize
    this.#pages = {
      '/authorize': authorize,
      '/signin': signIn,
      '/signin/callback': { open: (request) => signIn.callback(request) },
      '/signout': { post: (...sent) => signIn.signOut(...sent) },
      [OPERATOR_PAGE]: operators,
    }
  }

  async fetch(request: Request): Promise<Response> {
    // The entry point has already checked that this is the person's own machine.
    const isPlain = new URL(request.url).protocol === 'http:'
    return isPlain
      ? asPlainCookies(await this.#fetch(asHostCookies(request)))
      : this.#fetch(withPlainCookies(request))
  }

  async #fetch(request: Request): Promise<Response> {
    const { method } = request
    if (!METHODS.includes(method)) {
      return errorPage(405, 'This page is opened by a browser.', {
        headers: { allow: METHODS.join(', ') },
      })
    }
    const fault = faultOfPassphrase(this.#env)
    // A passphrase that can be guessed would open everything that people have allowed so far. The Console does not use
    // the passphrase.
    const { pathname } = new URL(request.url)
    if (fault && pathname !== OPERATOR_PAGE && pathname !== '/signout') return errorPage(503, fault)
    try {
      const page = Object.hasOwn(this.#pages, pathname) ? this.#pages[pathname] : undefined
      if (method !== 'POST') return (await page?.open?.(request)) ?? nothingHere()
      const form = await readForm(request)
      if (!form) return errorPage(400, 'This form is not valid here.')
      if (!isFromOurPage(request, form)) return foreignForm(request)
      return (await page?.post?.(request, form)) ?? nothingHere()
    } catch (error) {
      return await this.#refusal(error, request)
    }
  }

  /**
   * Turns an error into a page. An error goes to the app only if its redirect URI is verified, in which case the
   * library sets `redirectTo`.
   */
  async #refusal(error: unknown, request: Request): Promise<Response> {
    const { AuthorizationError, CimdFetchError } = await import(
      '@cloudflare/workers-oauth-provider'
    )
    if (error instanceof AuthorizationError) {
      if (error.redirectTo) {
        const to = plainly(error.redirectTo)
        const left = await this.#authorize.leave(request, to)
        return left ?? leavingPage(to, logged(error.description))
      }
      return questionPage(reasonOf(error.description), error.description, request)
    }
    if (error instanceof AuthorizationFault)
      return questionPage(error.reason, error.reason, request)
    if (error instanceof CimdFetchError) {
      return errorPage(400, NO_DOCUMENT, { reference: logged(error.reason) })
    }
    if (error instanceof DocumentFault) {
      const reference = logged(error.message)
      return error.isReached
        ? errorPage(400, NO_DOCUMENT, { reference })
        : errorPage(503, NO_WAY_TO_DOCUMENT, { reference })
    }
    if (error instanceof SignInFault) {
      const reference = logged(error.message)
      const next = { href: questionIn(request.url), text: 'Sign in another way' }
      return errorPage(403, error.message, { reference, next })
    }
    console.error(error)
    const reference = logged('The authorization server failed.')
    const message = 'The sign-in failed here. Try again. If it keeps failing, ask the operator.'
    return errorPage(500, message, { reference })
  }
}

/** A page that a browser can open, post a form to, or both. */
interface BrowserPage {
  open?(request: Request): Promise<Response>
  post?(request: Request, form: URLSearchParams): Promise<Response>
}

const METHODS = ['GET', 'HEAD', 'POST']

const nothingHere = (): Response =>
  errorPage(404, 'There is nothing at this URL.', { next: { href: '/signin', text: 'Sign in' } })

const foreignForm = (request: Request): Response =>
  errorPage(403, 'This form was not sent by the page that it belongs to, so nothing was done.', {
    reference: logged('A form came from another page.'),
    next: { href: questionIn(request.url), text: 'Open the page again' },
  })

/** The page for a failed request, if anybody could have registered the app's address. */
function leavingPage(to: string, reference: string): Response {
  const { protocol, host } = new URL(to)
  const isSite = protocol === 'https:'
  const where = shown(isSite ? host : protocol, 200)
  const message = `The app asked for something that does not exist here, so nothing was allowed. Its answer goes to ${where}. Go there only if you have just started this in an app, and know that address.`
  const next = isSite ? { href: to, text: `Go to ${where}` } : undefined
  return errorPage(400, message, { reference, next })
}

const START_AGAIN = 'Go back to the app, and start again there.'

const NO_DOCUMENT =
  'The app identifies itself with a document at its own address, and that document cannot be read or is malformed. Nothing was sent to the app. Try again later, or contact the developer of the app.'

const NO_WAY_TO_DOCUMENT =
  'The app identifies itself with a document at its own address, and this deployment could not reach that address. Nothing was sent to the app. Try again in a minute. If this continues, the operator of this deployment must check: its network may block outgoing requests, or the site may be down.'

const MESSAGES: Readonly<Record<QuestionReason, string>> = {
  malformed: `The request of the app is malformed. ${START_AGAIN}`,
  client_unknown:
    'This app is not known here: it has not registered, or its registration has expired. There is no need to sign in for it. Remove this connection in the app, and add it again. mcp-remote, and programs that start it, forget the registration with: rm -rf ~/.mcp-auth. Other command-line apps keep it in their settings folder, and forget it when you log out.',
  redirect_uri_foreign:
    'The app wants the answer sent to an address that it has not registered, so nothing was sent there. Remove this connection in the app, and add it again. If you did not start this in an app, close this page.',
  page_over:
    'This page was used already, is older than ten minutes, or was opened in another browser, so nothing was decided.',
}

function questionPage(reason: QuestionReason, cause: string, { url }: Request): Response {
  const again = { href: questionIn(url), text: 'Open the page again' }
  const next = reason === 'page_over' ? again : undefined
  return errorPage(400, MESSAGES[reason], { reference: logged(cause), next })
}

/** Replaces the characters that are not allowed in the `error_description` of a redirect. */
function plainly(redirectTo: string): string {
  const to = new URL(redirectTo)
  const description = to.searchParams.get('error_description') ?? ''
  to.searchParams.set('error_description', errorDescription(description))
  return to.href
}
