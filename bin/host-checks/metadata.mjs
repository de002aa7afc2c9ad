// Reads a metadata document of OAuth as hosts do.
import { isInner } from './address.mjs'
import { allowsOrigin, fromPage } from './preflight.mjs'
import { isHtml, isRedirect, objectOf, said, urlIn } from './probe.mjs'

/** A document at a well-known address, with what is wrong with how it is served. */
export async function readMetadata({ probe }, address) {
  const answer = await probe(address, {
    headers: { ...fromPage, accept: 'application/json', 'mcp-protocol-version': '2025-11-25' },
  })
  const document = answer.status === 200 ? objectOf(answer) : undefined
  return { answer, document, fault: document ? undefined : faultOf(answer) }
}

function faultOf(answer) {
  if (answer.status !== 200 || isHtml(answer) || isRedirect(answer)) return said(answer)
  return 'answers 200, and not with a JSON object'
}

/** Says of a document that a page in a browser cannot read it. */
export function checkPages({ report }, id, { answer }) {
  if (allowsOrigin(answer.headers)) return
  report.problem(id, {
    hosts: ['inspector'],
    stops: [],
    seen: 'A page in a browser cannot read this metadata.',
    mend: 'Send Access-Control-Allow-Origin: * with it: there is no secret in it.',
  })
}

/** `https://HOST/.well-known/NAME/path` for `https://HOST/path` (RFC 8414, 3.1; RFC 9728, 3.1). */
export const wellKnown = (url, name) =>
  `${url.origin}/.well-known/${name}${url.pathname === '/' ? '' : url.pathname}`

/**
 * Why hosts do not use this URL that a server names, or undefined. The doctor asks no other either: a server could
 * send it anywhere.
 */
export function faultOfNamed({ reach }, text) {
  const named = urlIn(text)
  if (!named) return 'is no URL'
  const { protocol, hostname, username, password, hash } = named
  const inner = isInner(hostname)
  if (inner && reach === 'public') return 'is where the internet cannot reach it'
  if (protocol !== 'https:' && !(protocol === 'http:' && inner)) return 'is not https'
  if (username || password || hash) return 'has a user, a password or a fragment'
  return undefined
}

/** The texts in a list that a server gave, or none. */
export const textsIn = (list) =>
  Array.isArray(list) ? list.filter((it) => typeof it === 'string') : []
