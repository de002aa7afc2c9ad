// The token endpoint, tested with invalid codes and tokens.
import { isUnstored } from './authorization-page.ts'
import type { Examination } from './examination.ts'
import { fieldsOf, jsonIn } from './json.ts'
import { type ProbeAnswer, said } from './probe.ts'
import { CALLBACK } from './registration.ts'
import type { Report } from './report.ts'

/** RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

/** Checks that an invalid code and an invalid refresh token get the right error, for this client or an unknown one. */
export async function checkTokenEndpoint(
  exam: Examination,
  endpoint: URL,
  client = 'tidegate-doctor-unknown',
) {
  const { report } = exam
  const code = await ask(exam, endpoint, {
    grant_type: 'authorization_code',
    client_id: client,
    code: 'no-code',
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  })
  const refresh = await ask(exam, endpoint, {
    grant_type: 'refresh_token',
    client_id: client,
    refresh_token: 'no-token',
  })
  sayRefused(report, 'token-code', 'An invalid code', code)
  sayRefused(report, 'token-refresh', 'An invalid refresh token', refresh)
  report.check('token-cache', isUnstored(code.headers), {
    ok: "The token endpoint's responses are not cached.",
    hosts: [],
    seen: "The token endpoint's responses can be cached.",
    fix: 'Send Cache-Control: no-store with each response.',
  })
}

const ask = (
  { probe, pasted }: Examination,
  endpoint: URL,
  form: Readonly<Record<string, string>>,
): Promise<ProbeAnswer> =>
  probe(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ ...form, resource: pasted }).toString(),
  })

function sayRefused(report: Report, id: string, what: string, answer: ProbeAnswer) {
  const { status } = answer
  const { error } = fieldsOf(jsonIn(answer.text))
  const isRight =
    (error === 'invalid_grant' && status === 400) ||
    (error === 'invalid_client' && (status === 400 || status === 401))
  if (isRight) return report.ok(id, `${what} gets ${status} ${error}.`)
  if (error === 'invalid_target') {
    return report.problem(id, {
      stops: [],
      seen: `${what} gets invalid_target, so hosts retry the same request forever.`,
      fix: 'Return 400 invalid_grant, so that the host signs in again.',
    })
  }
  // Its response to a valid code cannot be tested.
  const isHere = typeof error === 'string' && status < 500
  report.problem(id, {
    ...(isHere && { stops: [] }),
    seen: `${what} ${said(answer)}${ERRORS.includes(error) ? ` ${error}` : ''} instead of 400 with invalid_grant in JSON.`,
    fix: 'Respond to every mistake with JSON and an error from RFC 6749, 5.2, so that the host signs in again.',
  })
}

/** Errors in RFC 6749, 5.2. */
const ERRORS: readonly unknown[] = [
  'invalid_request',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_grant',
  'invalid_client',
]
