// Whether a page in a browser may connect, as the Inspector's does.
import { said } from './probe.mjs'

const INSPECTOR = 'http://localhost:6274'
const needed = [
  'authorization',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'last-event-id',
]

/** Checks that a page in a browser may ask, as the Inspector's does. */
export async function checkPreflight({ report, probe, url }) {
  const answer = await probe(url, {
    method: 'OPTIONS',
    headers: {
      origin: INSPECTOR,
      'access-control-request-method': 'POST',
      'access-control-request-headers': needed.join(','),
    },
  })
  const { status, headers } = answer
  const allowed = listOf(headers.get('access-control-allow-headers'))
  // A star does not stand for Authorization.
  const missing = needed.filter(
    (it) => !allowed.includes(it) && (it === 'authorization' || !allowed.includes('*')),
  )
  const trouble = {
    hosts: ['inspector'],
    stops: [],
    mend: 'Answer OPTIONS with 204 without a key, with Access-Control-Allow-Origin, and with Access-Control-Allow-Headers for all that hosts send.',
  }
  if (status < 200 || status > 299) {
    return report.problem('preflight', {
      ...trouble,
      seen: `OPTIONS from a page ${said(answer)}: pages in a browser cannot connect.`,
    })
  }
  if (!allowsOrigin(headers)) {
    return report.problem('preflight', {
      ...trouble,
      seen: 'OPTIONS from a page allows no Origin: pages in a browser cannot connect.',
    })
  }
  if (missing.length > 0) {
    return report.problem('preflight', {
      ...trouble,
      seen: `OPTIONS from a page does not allow the header ${missing.join(', ')}: pages in a browser cannot connect.`,
    })
  }
  report.ok('preflight', `OPTIONS from a page answers ${status} and allows what hosts send.`)
}

/** Where a page of the Inspector comes from: the header that a browser adds. */
export const fromPage = { origin: INSPECTOR }

/** Whether the page of the Inspector may read this answer. */
export const allowsOrigin = (headers) =>
  ['*', INSPECTOR].includes(headers.get('access-control-allow-origin'))

/** The words of a header that is a list. */
export const listOf = (header) => (header ?? '').split(',').map((it) => it.trim().toLowerCase())
