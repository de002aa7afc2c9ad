// The authorization endpoint: the page that a person sees, and the requests that it must never redirect.
import type { Examination } from './examination.ts'
import { urlIn } from './json.ts'
import { isHtml, isRedirect, type ProbeAnswer, said } from './probe.ts'
import { CALLBACK } from './registration.ts'
import type { Report } from './report.ts'

/** RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const ELSEWHERE = 'https://tidegate-doctor.invalid/callback'
const MAX_STEPS = 3

/** Fix for an endpoint that fails itself. */
const BROKEN =
  "Open the authorization endpoint in a browser: the page might say what is not set up. If not, read the server's log."

/** Checks that an unknown client gets a page, and that nothing is sent to its redirect URI. */
export async function checkUnknownClient(exam: Examination, endpoint: URL) {
  const answer = await exam.probe(question(exam, endpoint, 'tidegate-doctor-unknown', ELSEWHERE))
  sayStays(exam.report, 'unknown-client', answer, 'An unknown client')
}

/** Checks the page for a registered client, and that no other redirect URI is accepted. */
export async function checkAuthorizationPage(exam: Examination, endpoint: URL, client: string) {
  const { report, probe } = exam
  sayPage(report, await open(exam, question(exam, endpoint, client, CALLBACK)))
  const wrong = await probe(question(exam, endpoint, client, ELSEWHERE))
  sayStays(report, 'wrong-redirect', wrong, 'A redirect_uri that the client did not register')
  const port = CALLBACK.replace('33418', '33419')
  const other = await open(exam, question(exam, endpoint, client, port))
  report.check('loopback-port', other.answer.status < 400, {
    ok: 'A loopback redirect URI can have any port.',
    state: 'note',
    hosts: ['claude-code', 'codex'],
    seen: 'A loopback redirect URI with another port is refused, but some hosts use a different port each time.',
    fix: 'Ignore the port when you compare loopback addresses (RFC 8252, 7.3), especially for metadata documents.',
  })
}

function question({ pasted }: Examination, endpoint: URL, client: string, redirect: string): URL {
  const url = new URL(endpoint)
  const asked = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'tidegate-doctor',
    resource: pasted,
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url
}

/** The last response on the way to a page, and the other server that it points to, if any. */
interface OpenedPage {
  readonly answer: ProbeAnswer
  readonly next?: URL
}

/** Follows redirects to the page, within the same server, as a person's browser would. */
async function open({ probe }: Examination, first: URL): Promise<OpenedPage> {
  const cookies = new Map<string, string>()
  let url = first
  for (let step = 1; ; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await probe(url, {
      headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0', ...(cookie && { cookie }) },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
      if (name) cookies.set(name, value)
    }
    const next = isRedirect(answer) ? urlIn(answer.headers.get('location'), url.href) : undefined
    if (next && next.origin !== first.origin) return { answer, next }
    if (!next || step === MAX_STEPS) return { answer }
    url = next
  }
}

function sayPage(report: Report, { answer, next }: OpenedPage) {
  const { status, headers } = answer
  if (next?.href.startsWith(CALLBACK)) {
    const isError = next.searchParams.has('error')
    return report.problem('authorization-page', {
      ...(!isError && { hosts: [] }),
      seen: isError
        ? 'The authorization endpoint sends a registered client back with an error.'
        : 'The authorization endpoint responds to a client before asking a person.',
      fix: isError
        ? 'Accept code, S256, state and the resource of this endpoint from every registered client.'
        : 'Show a page that says who is asking, and let a person decide.',
    })
  }
  if (next) return report.ok('authorization-page', `People are sent to ${next.host} to sign in.`)
  if (status !== 200 || !isHtml(answer)) {
    return report.problem('authorization-page', {
      seen: `A registered client gets no sign-in page: the authorization endpoint ${said(answer)}.`,
      fix: status === 0 || status >= 500 ? BROKEN : 'Show the sign-in page.',
    })
  }
  report.ok('authorization-page', 'A registered client gets the sign-in page.')
  const policy = headers.get('content-security-policy') ?? ''
  const isUnframed =
    /frame-ancestors\s+'(?:none|self)'/.test(policy) || headers.has('x-frame-options')
  report.check('authorization-frame', isUnframed, {
    ok: 'The sign-in page cannot be framed.',
    hosts: [],
    seen: 'The sign-in page can be framed by another page, which could trick people into clicking.',
    fix: "Send Content-Security-Policy: frame-ancestors 'none' with it.",
  })
  report.check('authorization-cache', isUnstored(headers), {
    ok: 'The sign-in page is not cached.',
    hosts: [],
    seen: 'The sign-in page can be cached.',
    fix: 'Send Cache-Control: no-store with it.',
  })
}

/** True if no cache is allowed to store a response. */
export const isUnstored = (headers: Headers): boolean =>
  /(?:^|[\s,])no-store(?:$|[\s,])/.test(headers.get('cache-control') ?? '')

/** Reports whether an invalid request stays on the page instead of redirecting (RFC 6749, 3.1.2.4). */
function sayStays(report: Report, id: string, answer: ProbeAnswer, what: string) {
  const { status, headers, text } = answer
  const isMoved = isRedirect(answer)
  const to = isMoved ? urlIn(headers.get('location'), ELSEWHERE) : undefined
  if (to?.origin === new URL(ELSEWHERE).origin) {
    return report.problem(id, {
      hosts: [],
      seen: `${what} gets a redirect to its own address, so anyone can send people and errors wherever they like.`,
      fix: 'Check the client and its redirect_uri first, and show a page if they are wrong.',
    })
  }
  if (isMoved) {
    return report.note(id, {
      hosts: [],
      seen: `${what} is not refused at first: the authorization endpoint ${said(answer)}.`,
      fix: 'Check the client and its redirect_uri before people sign in.',
    })
  }
  if (status >= 400 && status < 500)
    return report.ok(id, `${what} is refused, and nothing is sent there.`)
  if (status === 200 && /\stype=["']?password\b/i.test(text))
    return report.ok(id, `${what} gets the sign-in page first, and nothing is sent there.`)
  if (status === 200) {
    return report.note(id, {
      hosts: [],
      seen: `${what} gets a page with 200. From outside, nobody can see whether it is refused later.`,
      fix: 'Return 400 with a page that says what is wrong.',
    })
  }
  const isBroken = status === 0 || status >= 500
  report.problem(id, {
    ...(isBroken ? { stops: [] } : { hosts: [] }),
    seen: `${what} is not refused: the authorization endpoint ${said(answer)}.`,
    fix: isBroken ? BROKEN : 'Return 400 with a page that says what is wrong.',
  })
}
