// The 401 from a server with a sign-in, which must say where the sign-in is described.
import type { Examination } from './examination.ts'
import { urlIn } from './json.ts'
import { allowsOrigin, fromPage, listOf } from './preflight.ts'
import type { ProbeAnswer } from './probe.ts'
import type { Report } from './report.ts'
import { send } from './rpc.ts'

/** Parameters of a `Bearer` challenge, by lowercase name. */
type Bearer = Readonly<Record<string, string>>

/** The facts about the sign-in that came with a 401. */
export interface Challenge {
  readonly bearer: Bearer | undefined
  /** The address of the metadata, if it is usable. */
  readonly metadata?: URL
}

/** Checks the challenge that came with the 401. */
export function checkChallenge({ report, url }: Examination, opened: ProbeAnswer): Challenge {
  const bearer = bearerOf(opened)
  if (bearer?.resource_metadata === undefined) return { bearer }
  sayScope(report, bearer)
  const metadata = urlIn(bearer.resource_metadata)
  if (metadata?.origin !== url.origin) return { bearer }
  report.ok('challenge', 'The 401 says where the sign-in is described.')
  return { bearer, metadata }
}

function sayScope(report: Report, { scope, error }: Bearer) {
  if (scope === undefined) {
    report.note('challenge-scope', {
      seen: 'The 401 names no scope, so hosts request all scopes, or none.',
      fix: 'Add scope="…" with the scopes that a first visit needs.',
    })
  } else if (scope.split(' ').includes('offline_access')) {
    report.note('challenge-scope', {
      seen: 'The scope in the 401 includes offline_access, which is not a permission on this server.',
      fix: "List it only in the authorization server's scopes_supported.",
    })
  } else report.ok('challenge-scope', 'The 401 names the scope that a host has to request.')
  if (error !== undefined) {
    report.note('challenge-error', {
      seen: 'The 401 has an error, although no token was sent.',
      fix: 'Leave error out if the request has no token.',
    })
  }
}

/** Checks that GET, HEAD, a page in a browser and a wrong token also get a usable challenge. */
export async function checkChallenges(exam: Examination, { bearer }: Challenge) {
  const { report, probe, url } = exam
  const usual = { accept: '*/*', 'mcp-protocol-version': '2024-11-05' }
  const answers = [
    ['GET', await probe(url, { headers: usual })],
    ['HEAD', await probe(url, { method: 'HEAD' })],
  ] as const
  const other = answers
    .filter(([, it]) => bearerOf(it)?.resource_metadata !== bearer?.resource_metadata)
    .map(([method]) => method)
  report.check('challenge-methods', other.length === 0, {
    ok: 'GET and HEAD get the same WWW-Authenticate as POST.',
    hosts: ['codex', 'gemini'],
    // Both then try the well-known addresses.
    stops: [],
    seen: `The WWW-Authenticate for ${other.join(' and ')} differs from the one for POST, or is missing.`,
    fix: 'Send the same header with every 401: Codex looks for it with GET, and Gemini CLI with HEAD.',
  })
  await checkPage(exam)
  await checkWrongToken(exam)
}

async function checkPage({ report, probe, url }: Examination) {
  const { headers } = await probe(url, { headers: fromPage })
  const exposed = listOf(headers.get('access-control-expose-headers'))
  if (allowsOrigin(headers) && (exposed.includes('www-authenticate') || exposed.includes('*')))
    return
  report.problem('challenge-page', {
    hosts: ['inspector'],
    stops: [],
    seen: 'A page in a browser cannot read the WWW-Authenticate header of the 401.',
    fix: 'Send Access-Control-Allow-Origin and Access-Control-Expose-Headers: WWW-Authenticate with it.',
  })
}

async function checkWrongToken(exam: Examination) {
  const { report } = exam
  const message = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
  const answer = await send(exam, message, { authorization: 'Bearer no-token-of-tidegate-doctor' })
  if (answer.status !== 401) {
    return report.problem('wrong-token', {
      stops: [],
      seen: `A wrong token gets ${answer.status || 'no response'} instead of 401, so a host whose token has expired will not renew it.`,
      fix: 'Return 401 with error="invalid_token" for a token that is wrong, expired or for another endpoint.',
    })
  }
  if (bearerOf(answer)?.error !== 'invalid_token') {
    return report.note('wrong-token', {
      seen: 'The 401 to a wrong token does not have error="invalid_token".',
      fix: 'Add it, so that a host can tell an expired token from a missing one.',
    })
  }
  report.ok('wrong-token', 'A wrong token gets 401 with error="invalid_token".')
}

const PART = /[\s,]*([^\s,="]{1,99})(?:\s{0,9}=\s{0,9}(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/gy

/** Parameters of the `Bearer` challenge in a response's WWW-Authenticate (RFC 9110, 11.6.1), or undefined. */
export function bearerOf({ headers }: ProbeAnswer): Bearer | undefined {
  let scheme: string | undefined
  let found: Record<string, string> | undefined
  const parts = (headers.get('www-authenticate') ?? '').matchAll(PART)
  for (const [, name = '', inQuotes, plain] of parts) {
    const value = inQuotes?.replace(/\\(.)/g, '$1') ?? plain
    if (value === undefined) scheme = name.toLowerCase()
    if (scheme !== 'bearer') continue
    found ??= {}
    if (value !== undefined) found[name.toLowerCase()] ??= value
  }
  return found
}
