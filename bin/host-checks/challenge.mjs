// The 401 of a server with a sign-in: it has to say where that is described.

import { allowsOrigin, fromPage, listOf } from './preflight.mjs'
import { urlIn } from './probe.mjs'
import { send } from './rpc.mjs'

/**
 * Checks the challenge that came with the 401.
 * @returns what it says of the sign-in: `metadata`, a URL, if it has one that can be asked
 */
export async function checkChallenge(visit, opened) {
  const { report, url } = visit
  const found = bearerIn(opened.headers.get('www-authenticate'))
  if (found?.resource_metadata === undefined) return { found }
  sayScope(report, found)
  const metadata = urlIn(found.resource_metadata)
  if (metadata?.origin !== url.origin) return { found }
  report.ok('challenge', 'The 401 says where the sign-in is described.')
  return { found, metadata }
}

function sayScope(report, { scope, error }) {
  if (scope === undefined) {
    report.note('challenge-scope', {
      seen: 'The 401 names no scope: hosts then ask for all that there are, or for none.',
      mend: 'Add scope="…" with what a first visit needs.',
    })
  } else if (scope.split(' ').includes('offline_access')) {
    report.note('challenge-scope', {
      seen: 'The scope of the 401 has offline_access, which is no right at this server.',
      mend: 'Name it in the scopes_supported of the authorization server only.',
    })
  } else report.ok('challenge-scope', 'The 401 names the scope that a host has to ask for.')
  if (error !== undefined) {
    report.note('challenge-error', {
      seen: 'The 401 has an error though no token was sent.',
      mend: 'Leave error out where the request has no token.',
    })
  }
}

/** Checks that the same challenge comes by GET and HEAD, to a page, and with a token that is wrong. */
export async function checkChallenges(visit, { found }) {
  const { report, probe, url } = visit
  const answers = {
    GET: await probe(url, { headers: { accept: '*/*', 'mcp-protocol-version': '2024-11-05' } }),
    HEAD: await probe(url, { method: 'HEAD' }),
  }
  const other = Object.keys(answers).filter((method) => {
    const bearer = bearerIn(answers[method].headers.get('www-authenticate'))
    return bearer?.resource_metadata !== found?.resource_metadata
  })
  if (other.length > 0) {
    report.problem('challenge-methods', {
      hosts: ['codex', 'gemini'],
      // Both go on to the well-known addresses.
      stops: [],
      seen: `${other.join(' and ')} gets another WWW-Authenticate than POST, or none.`,
      mend: 'Send the same header with every 401: Codex looks for it by GET, Gemini CLI by HEAD.',
    })
  } else report.ok('challenge-methods', 'GET and HEAD get the same WWW-Authenticate as POST.')
  await checkPage(visit)
  await checkWrongToken(visit)
}

async function checkPage({ report, probe, url }) {
  const { headers } = await probe(url, { headers: fromPage })
  const exposed = listOf(headers.get('access-control-expose-headers'))
  if (allowsOrigin(headers) && (exposed.includes('www-authenticate') || exposed.includes('*')))
    return
  report.problem('challenge-page', {
    hosts: ['inspector'],
    stops: [],
    seen: 'A page in a browser cannot read the WWW-Authenticate of the 401.',
    mend: 'Send Access-Control-Allow-Origin and Access-Control-Expose-Headers: WWW-Authenticate with it.',
  })
}

async function checkWrongToken({ report, ...visit }) {
  const message = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const answer = await send(visit, message, { authorization: 'Bearer no-token-of-tidegate-doctor' })
  const bearer = bearerIn(answer.headers.get('www-authenticate'))
  if (answer.status !== 401) {
    return report.problem('wrong-token', {
      stops: [],
      seen: `A wrong token gets ${answer.status || 'no answer'}, not 401: a host whose token has ended will not renew it.`,
      mend: 'Answer 401 with error="invalid_token" to a token that is wrong, old or for another endpoint.',
    })
  }
  if (bearer?.error !== 'invalid_token') {
    return report.note('wrong-token', {
      seen: 'The 401 to a wrong token does not have error="invalid_token".',
      mend: 'Add it, so that a host can tell a token that has ended from one that was never there.',
    })
  }
  report.ok('wrong-token', 'A wrong token gets 401 with error="invalid_token".')
}

const PART = /[\s,]*([^\s,="]{1,99})(?:\s{0,9}=\s{0,9}(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/gy

/** The parameters of the challenge `Bearer` in a WWW-Authenticate (RFC 9110, 11.6.1), or undefined. */
export function bearerIn(header) {
  let scheme
  let found
  for (const [, name, inQuotes, plain] of (header ?? '').matchAll(PART)) {
    const value = inQuotes?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) scheme = name.toLowerCase()
    if (scheme !== 'bearer') continue
    found ??= {}
    if (value !== undefined) found[name.toLowerCase()] ??= value
  }
  return found
}
