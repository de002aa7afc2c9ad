// Checks that a page in a browser, such as the Inspector's, can connect.
import type { Examination } from './examination.ts'
import { said } from './probe.ts'

const INSPECTOR = 'http://localhost:6274'
const NEEDED = [
  'authorization',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
]

/** Checks that a page in a browser can send requests, as the Inspector's does. */
export async function checkPreflight({ report, probe, url }: Examination) {
  const answer = await probe(url, {
    method: 'OPTIONS',
    headers: {
      ...fromPage,
      'access-control-request-method': 'POST',
      'access-control-request-headers': NEEDED.join(','),
    },
  })
  const { status, headers } = answer
  const allowed = listOf(headers.get('access-control-allow-headers'))
  // A star does not include Authorization.
  const missing = NEEDED.filter(
    (it) => !allowed.includes(it) && (it === 'authorization' || !allowed.includes('*')),
  )
  const wrong =
    status < 200 || status > 299
      ? said(answer)
      : !allowsOrigin(headers)
        ? 'does not allow the Origin'
        : missing.length > 0 && `does not allow the header ${missing.join(', ')}`
  report.check('preflight', !wrong, {
    ok: `OPTIONS from a page returns ${status} and allows what hosts send.`,
    hosts: ['inspector'],
    stops: [],
    seen: `OPTIONS from a page ${wrong}, so pages in a browser cannot connect.`,
    fix: 'Respond to OPTIONS with 204, even without a key. Send Access-Control-Allow-Origin, and Access-Control-Allow-Headers with every header that hosts send.',
  })
}

/** Origin of an Inspector page, in the header that a browser adds. */
export const fromPage = { origin: INSPECTOR }

/** True if an Inspector page is allowed to read this response. */
export const allowsOrigin = (headers: Headers): boolean =>
  ['*', INSPECTOR].includes(headers.get('access-control-allow-origin') ?? '')

/** The items in a list header. */
export const listOf = (header: string | null): string[] =>
  (header ?? '').split(',').map((it) => it.trim().toLowerCase())
