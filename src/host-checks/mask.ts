// Removes the secrets in a URL from printed text.

const MASK = '…'

/** Shorter secrets would match ordinary words. */
const MIN_SECRET = 6

/** Secrets in this URL: the key in `/k/KEY/mcp`, and the values in its query. */
export function secretsOf(url: URL): string[] {
  const [, key = ''] = KEYED.exec(url.pathname) ?? []
  const values = [...url.searchParams].map(([name, value]) => value || name)
  return [key, ...values].filter((it) => it !== '')
}

/** True if the path of a URL holds a key. */
export const holdsKey = (url: URL): boolean => KEYED.test(url.pathname)

const KEYED = /^\/k\/([^/]+)/

/** Makes a function that removes this URL's secrets from text. */
export function maskOf(url: URL): (text: string) => string {
  const secrets = secretsOf(url).flatMap((it) => [it, decoded(it), encodeURIComponent(decoded(it))])
  const long = [...new Set(secrets)].filter((it) => it.length >= MIN_SECRET)
  long.sort((a, b) => b.length - a.length)
  return (text) => {
    let masked = text
    for (const secret of long) masked = masked.replaceAll(secret, MASK)
    return masked
      .replace(/\/k\/[^/\s"]+/g, (it) => (it === '/k/KEY' ? it : `/k/${MASK}`))
      .replace(/\?[^\s"#]+/g, `?${MASK}`)
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
