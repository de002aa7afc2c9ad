import { errorPage } from '../pages/error.ts'
import type { SignInEnv } from '../settings.ts'
import { faultOfPassphrase } from '../sign-in/passphrase.ts'
import { SignInFault } from '../sign-in/person.ts'
import type { Authorize } from './authorize.ts'
import { asHostCookies, asPlainCookies, withPlainCookies } from './cookies.ts'
import { errorDescription } from './error-description.ts'
import { isFromOurPage, readForm } from './form.ts'
import { logged } from './logged.ts'
import type { Operators } from './operators.ts'
import { OPERATOR_PAGE, questionIn } from './question.ts'
import { seeOther } from './redirect.ts'
import type { SignIn } from './sign-in.ts'

interface Surroundings {
  readonly env: SignInEnv
  readonly signIn: SignIn
  readonly authorize: Authorize
  readonly operators: Operators
}

/** What browsers ask of the authorization server: its pages. */
export class Browsing {
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  async fetch(request: Request): Promise<Response> {
    // The door has seen to it that this is the machine of the person.
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
    const fault = faultOfPassphrase(this.#around.env)
    // One that can be guessed would open all that people have allowed until then. The Console needs none.
    const { pathname } = new URL(request.url)
    if (fault && pathname !== OPERATOR_PAGE && pathname !== '/signout') return errorPage(503, fault)
    try {
      if (method !== 'POST') return await this.#open(request)
      const form = await readForm(request)
      if (!form) return errorPage(400, 'This is no form of this page.')
      if (!isFromOurPage(request, form)) return foreignForm(request)
      return await this.#post(request, form)
    } catch (error) {
      return await this.#refusal(error, request)
    }
  }

  #open(request: Request): Promise<Response> {
    const { signIn, authorize, operators } = this.#around
    switch (new URL(request.url).pathname) {
      case '/authorize':
        return authorize.open(request)
      case '/signin':
        return signIn.open(request)
      case OPERATOR_PAGE:
        return operators.open(request)
      case '/signin/callback':
        return signIn.callback(request)
      default:
        return Promise.resolve(nothingHere())
    }
  }

  #post(request: Request, form: URLSearchParams): Promise<Response> {
    const { signIn, authorize, operators } = this.#around
    switch (new URL(request.url).pathname) {
      case '/authorize':
        return authorize.post(request, form)
      case '/signin':
        return signIn.post(request, form)
      case OPERATOR_PAGE:
        return operators.post(request, form)
      case '/signout':
        return signIn.signOut(request, form)
      default:
        return Promise.resolve(nothingHere())
    }
  }

  /** An error goes to the app only once it is known that it is the app: the library says where to. */
  async #refusal(error: unknown, request: Request): Promise<Response> {
    const { AuthorizationError, CimdFetchError } = await import(
      '@cloudflare/workers-oauth-provider'
    )
    if (error instanceof AuthorizationError) {
      if (error.redirectTo) return seeOther(plainly(error.redirectTo))
      const reference = logged(error.description)
      const { message, isOver } = MESSAGES[error.description] ?? OTHER
      const again = isOver
        ? { href: questionIn(request.url), text: 'Open the page anew' }
        : undefined
      return errorPage(400, message, { reference, next: again })
    }
    if (error instanceof CimdFetchError) {
      return errorPage(400, NO_DOCUMENT, { reference: logged(error.reason) })
    }
    if (error instanceof SignInFault) {
      const reference = logged(error.message)
      const next = { href: questionIn(request.url), text: 'Sign in in another way' }
      return errorPage(403, error.message, { reference, next })
    }
    console.error(error)
    const reference = logged('The authorization server failed.')
    const message = 'The sign-in failed here. Try again. If it goes on, ask the operator.'
    return errorPage(500, message, { reference })
  }
}

const METHODS = ['GET', 'HEAD', 'POST']

const nothingHere = (): Response =>
  errorPage(404, 'There is nothing at this URL.', { next: { href: '/signin', text: 'Sign in' } })

const foreignForm = (request: Request): Response =>
  errorPage(403, 'This form was not sent by the page that it belongs to, so nothing was done.', {
    reference: logged('A form came from another page.'),
    next: { href: questionIn(request.url), text: 'Open the page anew' },
  })

const START_AGAIN = 'Go back to the app, and start again there.'

const NO_DOCUMENT =
  'The app that asks is known by a document at its own address, and this cannot be read or is malformed. Nothing was sent to it. Try again later, or tell whoever makes the app.'

const OVER = {
  message:
    'This page was used already, is older than ten minutes, or was opened in another browser, so nothing was decided.',
  isOver: true,
}

const OTHER = { message: `The question of the app is malformed. ${START_AGAIN}`, isOver: false }

/** What the library says, in words for people. */
const MESSAGES: Readonly<Record<string, { readonly message: string; readonly isOver: boolean }>> = {
  'client_id is required': OTHER,
  'Invalid client_id': {
    message:
      'The app that asks is not known here: it has not registered, or so long ago that this has ended. Remove this connection in the app, and add it again.',
    isOver: false,
  },
  'Invalid redirect URI': {
    message:
      'The app wants the answer at an address that it has not registered, so nothing was sent there. Remove this connection in the app, and add it again. If you did not start this in an app, close this page.',
    isOver: false,
  },
  'Missing transaction handle': OVER,
  'This authorization was not started in this browser; start again': OVER,
  'This authorization belongs to a different browser session; start again': OVER,
  'This authorization expired or was already used; start again': OVER,
}

/** A redirect whose `error_description` has only the characters that it may have. */
function plainly(redirectTo: string): string {
  const to = new URL(redirectTo)
  const description = to.searchParams.get('error_description') ?? ''
  to.searchParams.set('error_description', errorDescription(description))
  return to.href
}
