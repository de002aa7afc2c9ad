// The endpoint as seen by a host without a key: the first request of each kind.
import type { Examination } from './examination.ts'
import { fieldsOf, urlIn } from './json.ts'
import { holdsKey } from './mask.ts'
import { isHtml, isRedirect, type ProbeAnswer, said } from './probe.ts'
import { discover, initialize, messageIn } from './rpc.ts'

/** An endpoint's reaction to a host without a key. `closed` is a 401. */
type EndpointState = 'open' | 'closed'

/**
 * Sends the hosts' first requests.
 * @returns the response to the first one, and the endpoint's state, which is undefined if no host gets any further
 */
export async function checkEndpoint(exam: Examination) {
  const opened = await initialize(exam)
  const state = stateOf(opened)
  if (state === undefined) {
    exam.report.problem(opened.failure ? 'reachable' : 'initialize', obstacle(exam, opened))
    return { opened, state }
  }
  const { protocolVersion } = fieldsOf(messageIn(opened)?.result)
  exam.report.ok(
    'initialize',
    state === 'open'
      ? `POST initialize returns 200 with revision ${String(protocolVersion).slice(0, 20)}, without a key.`
      : 'POST initialize returns 401 to a host without a key.',
  )
  await checkDiscover(exam, state)
  await checkGet(exam, state)
  await checkHead(exam, state)
  return { opened, state }
}

function stateOf(answer: ProbeAnswer): EndpointState | undefined {
  if (answer.status === 401) return 'closed'
  return answer.status === 200 && messageIn(answer)?.result ? 'open' : undefined
}

/** The reason that no host can connect. */
function obstacle({ report, url }: Examination, answer: ProbeAnswer) {
  const { status, headers, failure } = answer
  const elsewhere = /\/mcp$/.test(url.pathname) ? FIXES.none : `Try ${url.origin}/mcp.`
  const seen = `POST initialize ${said(answer)}.`
  if (failure) return { seen: failure.seen, fix: FIXES[failure.cause] }
  if (isRedirect(answer)) {
    const to = urlIn(headers.get('location'), url.href)
    return {
      seen: `POST initialize returns ${status} and redirects to ${to ? report.quoted(to.origin + to.pathname) : 'nowhere'}, but hosts do not follow redirects.`,
      fix: to?.hostname.endsWith('.cloudflareaccess.com') ? FIXES.access : FIXES.redirect,
    }
  }
  if (headers.get('cf-mitigated') === 'challenge')
    return { seen: `${seen} It is a Cloudflare challenge for browsers.`, fix: FIXES.challenge }
  if (status === 403) return { seen, fix: FIXES.forbidden }
  if (status === 404 && holdsKey(url)) return { seen, fix: FIXES.key }
  if (status === 404 || status === 405 || isHtml(answer))
    return { seen: `${seen} There is no MCP endpoint at this URL.`, fix: elsewhere }
  if (status === 406) return { seen, fix: ANY_ACCEPT }
  if (status >= 500) return { seen, fix: FIXES.log }
  if (status === 200) {
    const isError = messageIn(answer)?.error
    return {
      seen: isError ? 'POST initialize returns a JSON-RPC error.' : `${seen} It is not JSON-RPC.`,
      fix: elsewhere,
    }
  }
  return { seen, fix: `A first request can be refused only with 401. ${FIXES.log}` }
}

/** Fix for a 406. */
export const ANY_ACCEPT =
  'Respond to POST whatever its Accept header says: application/json works for every host.'

const FIXES = {
  silent: 'Check that the server is running, and that no firewall drops the connection.',
  name: 'Check the spelling of the name, and its DNS record. A new record takes a few minutes.',
  refused: 'Start the server, or correct the port in the URL.',
  certificate: 'Get a certificate from an authority that all machines trust, with the whole chain.',
  broken: "Check that the server speaks https on this port, and read the server's log.",
  access: 'Cloudflare Access is in front of the endpoint. Take this path out of its application.',
  redirect: 'Paste the URL that it points to, or serve the endpoint here.',
  challenge:
    'Add a rule to the firewall (WAF) that skips challenges and bot protection for this path.',
  forbidden:
    'Let requests without a key and without an Origin through: firewalls, bot protection and address lists often block them.',
  key: 'Check that the whole URL was copied, and that its key has not expired.',
  none: 'Check that the server serves MCP over Streamable HTTP at exactly this path.',
  log: "Read the server's log.",
}

async function checkDiscover(exam: Examination, state: EndpointState) {
  const { report } = exam
  const answer = await discover(exam)
  const message = messageIn(answer)
  const seen = `POST server/discover ${said(answer)}`
  if (state === 'closed') {
    if (answer.status === 401) return report.ok('discover', `${seen}, as initialize does.`)
    return report.problem('discover', {
      hosts: ['claude', 'claude-code'],
      stops: [],
      seen: `${seen}, but initialize gets 401, so hosts that start with it see no sign-in at first.`,
      fix: 'Return 401 for every request without a key, before you look at anything else in it.',
    })
  }
  if (message?.result) return report.ok('discover', `${seen}: it supports the newest revision.`)
  if (message?.error || [400, 404, 406, 422].includes(answer.status)) {
    return report.note('discover', {
      hosts: ['claude', 'claude-code'],
      seen: `${seen}: it supports only older revisions, and hosts fall back to them.`,
      fix: 'Support revision 2026-07-28 too, which saves a request.',
    })
  }
  report.problem('discover', {
    hosts: ['claude', 'claude-code'],
    // These hosts are patient. Other hosts, which use only the SDK, are not.
    stops: [],
    seen: `${seen}, which does not tell a host to fall back.`,
    fix: 'Respond to an unknown method with a JSON-RPC error, or with 400.',
  })
}

async function checkGet({ report, probe, url }: Examination, state: EndpointState) {
  const answer = await probe(url, { headers: { accept: 'text/event-stream' } })
  const seen = `GET for a stream ${said(answer)}`
  const { status, type } = answer
  if (state === 'closed') {
    if (status === 401) return report.ok('get', `${seen}, as POST does.`)
    return report.problem('get', {
      hosts: ['codex'],
      // Codex then tries the well-known addresses, unless it waits for a stream to end.
      stops: status === 0 || type === 'text/event-stream' ? ['codex'] : [],
      seen: `${seen}, but POST gets 401, so Codex, which uses GET, sees no sign-in.`,
      fix: 'Return 401 for every request without a key, whatever its method.',
    })
  }
  if (status === 405) return report.ok('get', `${seen}: there is no stream, and hosts continue.`)
  if (status === 200 && type === 'text/event-stream') {
    return report.ok('get', `${seen} and opens one.`)
  }
  if (status >= 200 && status < 300) {
    return report.problem('get', {
      hosts: ['vscode'],
      seen: `${seen} but opens no stream, so VS Code connects again and again.`,
      fix: 'Return 405 if the request accepts text/event-stream and there is no stream.',
    })
  }
  if (status === 0 || status === 401 || status === 403 || status >= 500) {
    return report.problem('get', {
      hosts: ['codex', 'vscode', 'mcp-remote'],
      seen: `${seen}, but POST is served.`,
      fix: 'Return 405 at once if there is no stream.',
    })
  }
  report.note('get', { seen: `${seen}, but hosts expect 405.`, fix: 'Return 405.' })
}

async function checkHead({ report, probe, url }: Examination, state: EndpointState) {
  const answer = await probe(url, { method: 'HEAD' })
  const { status } = answer
  const seen = `HEAD ${said(answer)}`
  const isExpected =
    state === 'closed' ? status === 401 : ![0, 401, 403].includes(status) && status < 500
  report.check('head', isExpected, {
    ok: `${seen}.`,
    hosts: ['gemini'],
    // Gemini CLI sends HEAD only if the response to POST did not say how to sign in.
    stops: [],
    seen: `${seen}, but POST ${state === 'closed' ? 'gets 401' : 'is served'}.`,
    fix:
      state === 'closed'
        ? 'Return 401 for every request without a key, whatever its method.'
        : 'Respond to HEAD as to GET, but without the body.',
  })
}
