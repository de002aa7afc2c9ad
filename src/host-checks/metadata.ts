// Reads an OAuth metadata document as hosts do.
import type { Examination } from './examination.ts'
import { type JsonFields, objectIn, urlIn } from './json.ts'
import { allowsOrigin, fromPage } from './preflight.ts'
import { isHtml, isRedirect, type ProbeAnswer, said } from './probe.ts'
import { isInner } from './reach.ts'

/** A document at a well-known address, or the reason that there is none. */
export interface ReadMetadata {
  readonly answer: ProbeAnswer
  readonly document: JsonFields | undefined
  /** The reason, worded as the end of a sentence. */
  readonly fault: string | undefined
}

/** Requests a document. */
export async function readMetadata({ probe }: Examination, address: string): Promise<ReadMetadata> {
  const answer = await probe(address, {
    headers: { ...fromPage, accept: 'application/json', 'mcp-protocol-version': '2025-11-25' },
  })
  const document = answer.status === 200 ? objectIn(answer.text) : undefined
  return { answer, document, fault: document ? undefined : faultOf(answer) }
}

const faultOf = (answer: ProbeAnswer): string =>
  answer.status !== 200 || isHtml(answer) || isRedirect(answer)
    ? said(answer)
    : 'returns 200, but not with a JSON object'

/** Reports that a page in a browser cannot read a document. */
export function checkPages({ report }: Examination, id: string, { answer }: ReadMetadata): void {
  if (allowsOrigin(answer.headers)) return
  report.problem(id, {
    hosts: ['inspector'],
    stops: [],
    seen: 'A page in a browser cannot read this metadata.',
    fix: 'Send Access-Control-Allow-Origin: * with it. It has no secrets.',
  })
}

/** `https://HOST/.well-known/NAME/path` for `https://HOST/path` (RFC 8414, 3.1; RFC 9728, 3.1). */
export const wellKnown = ({ origin, pathname }: Pick<URL, 'origin' | 'pathname'>, name: string) =>
  `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`

/** A URL that a server sent, or the reason that hosts do not use it, worded as the end of a sentence. */
export type NamedUrl =
  | { readonly url: URL; readonly fault?: undefined }
  | { readonly fault: string; readonly url?: undefined }

/** Checks a URL that a server sent. Without this, a server could make the doctor send requests anywhere. */
export function readNamed({ reach }: Examination, value: unknown): NamedUrl {
  if (value === undefined) return { fault: 'is missing' }
  const url = urlIn(value)
  if (!url) return { fault: 'is not a URL' }
  const isHere = isInner(url.hostname)
  if (isHere && reach === 'public') return { fault: 'cannot be reached from the internet' }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere))
    return { fault: 'is not https' }
  if (url.username || url.password || url.hash)
    return { fault: 'has a user name, a password or a fragment' }
  return { url }
}

const NAMES = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']

/** Checks the well-known addresses that hosts try. Returns the paths that have a document. */
export async function checkWellKnowns({ report, probe, url }: Examination): Promise<string[]> {
  const root = { origin: url.origin, pathname: '/' }
  const addresses = new Set(NAMES.flatMap((name) => [wellKnown(url, name), wellKnown(root, name)]))
  const wrong: string[] = []
  const described: string[] = []
  for (const address of addresses) {
    const answer = await probe(address, { headers: { accept: 'application/json' } })
    const { pathname } = new URL(address)
    if (answer.status === 200 && objectIn(answer.text)) described.push(pathname)
    else if (isHtml(answer) || ![404, 405, 410].includes(answer.status)) {
      wrong.push(`${pathname} ${said(answer)}`)
    }
  }
  report.check('well-knowns', wrong.length === 0, {
    ok: 'Every well-known address that hosts try has metadata, or is not found.',
    hosts: ['claude', 'chatgpt', 'claude-code', 'vscode'],
    stops: [],
    seen: `${wrong[0]}${wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''}: hosts take that for a broken sign-in.`,
    fix: 'At each address under /.well-known/, return its JSON, or 404 with JSON, but never 401, a redirect, or a page.',
  })
  return described
}
