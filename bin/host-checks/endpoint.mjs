// The endpoint as a host meets it that has no key: the first request of each kind.
import { holdsKey } from './mask.mjs'
import { isHtml, isRedirect, said, urlIn } from './probe.mjs'
import { discover, initialize, messageIn } from './rpc.mjs'

/**
 * Sends the first requests of hosts.
 * @returns how the endpoint takes them: `open`, `closed` (401), or undefined if no host gets further; and the answer
 */
export async function checkEndpoint(visit) {
  const opened = await initialize(visit)
  const state = stateOf(opened)
  if (state === undefined) sayWhyNot(visit, opened)
  else sayOpened(visit, opened, state)
  if (state !== undefined) {
    await checkDiscover(visit, state)
    await checkGet(visit, state)
    await checkHead(visit, state)
  }
  return { state, opened }
}

const stateOf = (answer) => {
  if (answer.status === 401) return 'closed'
  return answer.status === 200 && messageIn(answer)?.result ? 'open' : undefined
}

function sayOpened({ report }, opened, state) {
  const { result } = messageIn(opened) ?? {}
  report.ok(
    'initialize',
    state === 'open'
      ? `POST initialize answers 200 and speaks revision ${String(result.protocolVersion).slice(0, 20)}, without a key.`
      : 'POST initialize answers 401 to a host without a key.',
  )
}

/** Says why no host gets in. */
function sayWhyNot(visit, answer) {
  const { seen, mend } = obstacle(visit, answer)
  visit.report.problem(answer.status === 0 ? 'reachable' : 'initialize', { seen, mend })
}

function obstacle({ report, url }, answer) {
  const { status, headers } = answer
  const elsewhere = /\/mcp$/.test(url.pathname) ? undefined : `Try ${url.origin}/mcp.`
  const seen = `POST initialize ${said(answer)}.`
  if (status === 0) return { seen: answer.fault, mend: mends[answer.cause] }
  if (isRedirect(answer)) {
    const to = urlIn(headers.get('location'), url)
    const access = to?.hostname.endsWith('.cloudflareaccess.com')
    return {
      seen: `POST initialize answers ${status} and points to ${to ? report.quoted(to.origin + to.pathname) : 'nowhere'}: hosts do not follow.`,
      mend: access
        ? 'Cloudflare Access is in front of the endpoint. Take this path out of its application.'
        : 'Paste the URL that it points to, or serve the endpoint here.',
    }
  }
  if (headers.get('cf-mitigated') === 'challenge')
    return { seen: `${seen} It is a challenge of Cloudflare for browsers.`, mend: mends.challenge }
  if (status === 403) return { seen, mend: mends.forbidden }
  if (status === 404 && holdsKey(url)) return { seen, mend: mends.key }
  if (status === 404 || status === 405 || isHtml(answer)) {
    return { seen: `${seen} There is no MCP endpoint at this URL.`, mend: elsewhere ?? mends.none }
  }
  if (status === 406) return { seen, mend: ANY_ACCEPT }
  if (status >= 500) return { seen, mend: 'Read the log of the server.' }
  const { error } = messageIn(answer) ?? {}
  if (status === 200) {
    return {
      seen: error ? 'POST initialize gives an error of JSON-RPC.' : `${seen} It is no JSON-RPC.`,
      mend: elsewhere ?? mends.none,
    }
  }
  return { seen, mend: 'A first request may be refused with 401 only. Read the log of the server.' }
}

/** What to do about a 406. */
export const ANY_ACCEPT = 'Answer POST whatever its Accept says: application/json suits every host.'

const mends = {
  silent: 'Check that the server runs, and that no firewall drops the connection.',
  name: 'Check the spelling, and the DNS record of the name. A new record takes some minutes.',
  refused: 'Start the server, or correct the port in the URL.',
  certificate: 'Get a certificate from an authority that all machines trust, with the whole chain.',
  broken: 'Check that the server speaks https at this port, and read its log.',
  challenge:
    'Add a rule to the firewall (WAF) that skips challenges and bot protection for this path.',
  forbidden:
    'Let requests without a key and without an Origin through: firewalls, bot protection and lists of addresses often refuse them.',
  key: 'Check that the URL was copied whole, and that its key has not ended.',
  none: 'Check that the server serves MCP by Streamable HTTP at this very path.',
}

async function checkDiscover({ report, ...visit }, state) {
  const answer = await discover(visit)
  const message = messageIn(answer)
  const seen = `POST server/discover ${said(answer)}`
  const fallsBack = [400, 404, 406, 422].includes(answer.status) || message?.error
  if (state === 'closed') {
    if (answer.status === 401) return report.ok('discover', `${seen}, as initialize does.`)
    return report.problem('discover', {
      hosts: ['claude', 'claude-code'],
      stops: [],
      seen: `${seen}, where initialize gets 401: hosts that open with it see no sign-in at first.`,
      mend: 'Answer 401 to every request without a key, before anything else of it is looked at.',
    })
  }
  if (message?.result) return report.ok('discover', `${seen}: the newest revision is spoken.`)
  if (fallsBack) {
    return report.note('discover', {
      hosts: ['claude', 'claude-code'],
      seen: `${seen}: only older revisions are spoken, and hosts fall back to them.`,
      mend: 'Speak revision 2026-07-28 too: it saves a request.',
    })
  }
  report.problem('discover', {
    hosts: ['claude', 'claude-code'],
    // They are patient; what is built on the SDK alone is not.
    stops: [],
    seen: `${seen}, from which a host cannot tell that it should fall back.`,
    mend: 'Answer a method that the server does not know with an error of JSON-RPC, or with 400.',
  })
}

async function checkGet({ report, probe, url }, state) {
  const answer = await probe(url, { headers: { accept: 'text/event-stream' } })
  const seen = `GET for a stream ${said(answer)}`
  const { status, type } = answer
  if (state === 'closed') {
    if (status === 401) return report.ok('get', `${seen}, as POST does.`)
    return report.problem('get', {
      hosts: ['codex'],
      // It goes on to the well-known addresses, unless it waits for an end.
      stops: status === 0 || type === 'text/event-stream' ? ['codex'] : [],
      seen: `${seen}, where POST gets 401: Codex, which asks by GET, sees no sign-in.`,
      mend: 'Answer 401 to every request without a key, whatever its method.',
    })
  }
  if (status === 405) return report.ok('get', `${seen}: there is no stream, and hosts go on.`)
  if (status === 200 && type === 'text/event-stream') {
    return report.ok('get', `${seen} and opens one.`)
  }
  if (status >= 200 && status < 300) {
    return report.problem('get', {
      hosts: ['vscode'],
      seen: `${seen} and no stream: VS Code connects again and again.`,
      mend: 'Answer 405 where the request accepts text/event-stream and there is no stream.',
    })
  }
  if (status === 0 || status === 401 || status === 403 || status >= 500) {
    return report.problem('get', {
      hosts: ['codex', 'vscode', 'mcp-remote'],
      seen: `${seen}, where POST is served.`,
      mend: 'Answer 405 at once if there is no stream.',
    })
  }
  report.note('get', { seen: `${seen}, and hosts expect 405.`, mend: 'Answer 405.' })
}

async function checkHead({ report, probe, url }, state) {
  const answer = await probe(url, { method: 'HEAD' })
  const { status } = answer
  const seen = `HEAD ${said(answer)}`
  const expected =
    state === 'closed' ? status === 401 : ![0, 401, 403].includes(status) && status < 500
  if (expected) return report.ok('head', `${seen}.`)
  report.problem('head', {
    hosts: ['gemini'],
    // It is asked only where the answer to POST did not tell how to sign in.
    stops: [],
    seen: `${seen}, ${state === 'closed' ? 'where POST gets 401' : 'where POST is served'}.`,
    mend:
      state === 'closed'
        ? 'Answer 401 to every request without a key, whatever its method.'
        : 'Answer HEAD as GET, without the body.',
  })
}
