// The other well-known addresses that hosts try: they have to be metadata, or not there.

import { wellKnown } from './metadata.mjs'
import { isHtml, objectOf, said } from './probe.mjs'

const NAMES = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration']

/** Checks what a host finds where it guesses. Returns the document that an authorization server has here. */
export async function checkWellKnowns({ report, probe, url }) {
  const root = { origin: url.origin, pathname: '/' }
  const addresses = new Set(NAMES.flatMap((name) => [wellKnown(url, name), wellKnown(root, name)]))
  const wrong = []
  const there = []
  for (const address of addresses) {
    const answer = await probe(address, { headers: { accept: 'application/json' } })
    const { pathname } = new URL(address)
    if (objectOf(answer) && answer.status === 200) there.push(pathname)
    else if (isHtml(answer) || ![404, 405, 410].includes(answer.status)) {
      wrong.push(`${pathname} ${said(answer)}`)
    }
  }
  if (wrong.length > 0) {
    report.problem('well-knowns', {
      hosts: ['claude', 'chatgpt', 'claude-code', 'vscode'],
      stops: [],
      seen: `${wrong[0]}${wrong.length > 1 ? `, and ${wrong.length - 1} more` : ''}: hosts take that for a broken sign-in.`,
      mend: 'Answer each address under /.well-known/ with its JSON, or with 404 in JSON: never with 401, a redirect, or a page.',
    })
  } else {
    report.ok('well-knowns', 'Every well-known address that hosts try is metadata, or not there.')
  }
  return there
}
