// The token endpoint, asked with codes and tokens that are none.
import { isUnstored } from './authorization-page.mjs'
import { objectOf, said } from './probe.mjs'
import { CALLBACK } from './registration.mjs'

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

/** Checks how a code and a refresh token are refused, for this client or for one that nobody knows. */
export async function checkTokenEndpoint(visit, endpoint, client = 'tidegate-doctor-unknown') {
  const code = await ask(visit, endpoint, {
    grant_type: 'authorization_code',
    client_id: client,
    code: 'no-code',
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  })
  const refresh = await ask(visit, endpoint, {
    grant_type: 'refresh_token',
    client_id: client,
    refresh_token: 'no-token',
  })
  sayRefused(visit, 'token-code', 'A code that is none', code)
  sayRefused(visit, 'token-refresh', 'A refresh token that is none', refresh)
  if (isUnstored(code.headers))
    return visit.report.ok('token-cache', 'Answers of the token endpoint are not stored.')
  visit.report.problem('token-cache', {
    hosts: [],
    seen: 'Answers of the token endpoint may be stored.',
    mend: 'Send Cache-Control: no-store with each.',
  })
}

const ask = ({ probe, pasted }, endpoint, form) =>
  probe(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ ...form, resource: pasted }).toString(),
  })

function sayRefused({ report }, id, what, answer) {
  const { status } = answer
  const { error } = objectOf(answer) ?? {}
  // What it answers to a code that is right cannot be seen.
  const isHere = typeof error === 'string' && status < 500
  const right =
    (error === 'invalid_grant' && status === 400) ||
    (error === 'invalid_client' && (status === 400 || status === 401))
  if (right) return report.ok(id, `${what} gets ${status} ${error}.`)
  if (error === 'invalid_target') {
    return report.problem(id, {
      stops: [],
      seen: `${what} gets invalid_target: hosts try the same again for ever.`,
      mend: 'Answer 400 invalid_grant, so that the host signs in again.',
    })
  }
  report.problem(id, {
    ...(isHere && { stops: [] }),
    seen: `${what} ${said(answer)}${known.has(error) ? ` ${error}` : ''}, and not 400 with invalid_grant in JSON.`,
    mend: 'Answer every mistake with JSON and the error of RFC 6749, 5.2: then the host signs in again.',
  })
}

/** Errors of RFC 6749, 5.2 besides those that are right. */
const known = new Set([
  'invalid_request',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_grant',
  'invalid_client',
])
