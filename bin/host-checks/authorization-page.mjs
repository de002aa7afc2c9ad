// The authorization endpoint: the page that a person sees, and what must never be sent away from it.
import { isHtml, isRedirect, said, urlIn } from './probe.mjs'
import { CALLBACK } from './registration.mjs'

/** RFC 7636, appendix B. */
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const ELSEWHERE = 'https://tidegate-doctor.invalid/callback'
const MAX_STEPS = 3

/** What to do where the endpoint itself fails. */
const BROKEN =
  'Open the authorization endpoint in a browser: the page may say what is not set up. Else read the log of the server.'

/** Checks that a client nobody knows gets a page, and that nothing is sent to where it says. */
export async function checkUnknownClient(visit, endpoint) {
  const answer = await visit.probe(question(visit, endpoint, 'tidegate-doctor-unknown', ELSEWHERE))
  sayStays(visit, 'unknown-client', answer, 'A client that nobody knows')
}

/** Checks the page for a client that was registered, and that it answers at no other address. */
export async function checkAuthorizationPage(visit, endpoint, client) {
  await checkPage(visit, await open(visit, question(visit, endpoint, client, CALLBACK)))
  const wrong = await visit.probe(question(visit, endpoint, client, ELSEWHERE))
  sayStays(visit, 'wrong-redirect', wrong, 'A redirect_uri that the client did not register')
  const port = CALLBACK.replace('33418', '33419')
  const other = await open(visit, question(visit, endpoint, client, port))
  if (other.status >= 400) {
    return visit.report.note('loopback-port', {
      hosts: ['claude-code', 'codex'],
      seen: 'A loopback redirect URI with another port is refused, and some hosts take another port each time.',
      mend: 'Leave the port of a loopback address out of the comparison (RFC 8252, 7.3), for metadata documents above all.',
    })
  }
  visit.report.ok('loopback-port', 'A loopback redirect URI may have any port.')
}

function question({ pasted }, endpoint, client, redirect) {
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

/** The page that this leads to, within the same server. A person's browser would follow. */
async function open({ probe }, first) {
  const cookies = new Map()
  let url = first
  let answer
  for (let step = 0; step < MAX_STEPS; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    answer = await probe(url, {
      headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0', ...(cookie && { cookie }) },
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
      if (name) cookies.set(name, value)
    }
    const next = isRedirect(answer) && urlIn(answer.headers.get('location'), url)
    if (!next) return answer
    if (next.origin !== first.origin) return { ...answer, next }
    url = next
  }
  return answer
}

function checkPage({ report }, answer) {
  const { status, headers, next } = answer
  if (next?.href.startsWith(CALLBACK)) {
    const error = next.searchParams.get('error')
    return report.problem('authorization-page', {
      ...(!error && { hosts: [] }),
      seen: error
        ? 'The authorization endpoint sends a registered client back with an error.'
        : 'The authorization endpoint answers a client before anybody was asked.',
      mend: error
        ? 'Take code, S256, state and the resource of this endpoint from every registered client.'
        : 'Show a page that says who asks, and let a person decide.',
    })
  }
  if (next) return report.ok('authorization-page', `People are sent to ${next.host} to sign in.`)
  if (status !== 200 || !isHtml(answer)) {
    return report.problem('authorization-page', {
      seen: `The authorization endpoint ${said(answer)} to a registered client, and not 200 with a page.`,
      mend: status === 0 || status >= 500 ? BROKEN : 'Show the page to sign in.',
    })
  }
  report.ok('authorization-page', 'A registered client gets the page to sign in.')
  const policy = headers.get('content-security-policy') ?? ''
  const framed =
    !/frame-ancestors\s+'(?:none|self)'/.test(policy) && !headers.has('x-frame-options')
  if (framed) {
    report.problem('authorization-frame', {
      hosts: [],
      seen: 'The page to sign in may be shown inside another page, which could make people click.',
      mend: "Send Content-Security-Policy: frame-ancestors 'none' with it.",
    })
  } else report.ok('authorization-frame', 'The page to sign in cannot be framed.')
  if (!isUnstored(headers)) {
    report.problem('authorization-cache', {
      hosts: [],
      seen: 'The page to sign in may be stored.',
      mend: 'Send Cache-Control: no-store with it.',
    })
  } else report.ok('authorization-cache', 'The page to sign in is not stored.')
}

/** Whether nobody may store an answer. */
export const isUnstored = (headers) =>
  /(?:^|[\s,])no-store(?:$|[\s,])/.test(headers.get('cache-control') ?? '')

/** Says whether a question that may not be answered stays where it is (RFC 6749, 3.1.2.4). */
function sayStays({ report }, id, answer, what) {
  const to = isRedirect(answer) && urlIn(answer.headers.get('location'), ELSEWHERE)
  if (to && to.origin === new URL(ELSEWHERE).origin) {
    return report.problem(id, {
      hosts: [],
      seen: `${what} is answered by a redirect to it: anybody can send people, and errors, where they like.`,
      mend: 'Check the client and its redirect_uri first, and show a page if they are wrong.',
    })
  }
  if (isRedirect(answer)) {
    return report.note(id, {
      hosts: [],
      seen: `The authorization endpoint ${said(answer)} before it refuses ${inSentence(what)}.`,
      mend: 'Check the client and its redirect_uri before people sign in.',
    })
  }
  if (answer.status >= 400 && answer.status < 500) {
    return report.ok(id, `${what} is refused, and nothing is sent there.`)
  }
  if (answer.status === 200 && asksForPassword(answer)) {
    return report.ok(id, `${what} gets the page to sign in first, and nothing is sent there.`)
  }
  if (answer.status === 200) {
    return report.note(id, {
      hosts: [],
      seen: `${what} gets a page with 200: whether it is refused later cannot be seen from outside.`,
      mend: 'Answer 400 with a page that says what is wrong.',
    })
  }
  const isBroken = answer.status === 0 || answer.status >= 500
  report.problem(id, {
    ...(isBroken ? { stops: [] } : { hosts: [] }),
    seen: `The authorization endpoint ${said(answer)}, and does not refuse ${inSentence(what)}.`,
    mend: isBroken ? BROKEN : 'Answer 400 with a page that says what is wrong.',
  })
}

const inSentence = (text) => text[0].toLowerCase() + text.slice(1)

const asksForPassword = ({ text }) => /\stype=["']?password\b/i.test(text)
