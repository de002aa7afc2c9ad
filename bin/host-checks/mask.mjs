// Keeps what is secret in a URL out of what is printed.

const MASK = '…'

/** A secret shorter than this would be found in ordinary words. */
const MIN_SECRET = 6

/** What opens the door in this URL: the key of `/k/KEY/mcp`, and the values of its query. */
export function secretsOf(url) {
  const [, key] = keyed.exec(url.pathname) ?? []
  const values = [...url.searchParams].map(([name, value]) => value || name)
  return [key, ...values].filter(Boolean)
}

/** Whether the path of a URL holds a key. */
export const holdsKey = (url) => keyed.test(url.pathname)

const keyed = /^\/k\/([^/]+)/

/** Takes the secrets of this URL out of a text. */
export function maskOf(url) {
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

function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
