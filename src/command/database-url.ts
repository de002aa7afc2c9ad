// The parts of a database URL that are safe to show.

/** True if a URL cannot contain a password: it is the demo, or refers to a binding, a secret or a credential. */
export const hasNoSecret = (url: string): boolean =>
  /^(?:demo:|(?:secret|credential|hyperdrive|d1):\w+)$/.test(url)

/** The address in a connection string, without the login. */
export function whereOf(url: string): string {
  const host = hostOfUrl(url)
  return host ? `${new URL(url).protocol}//${host}` : 'a connection string'
}

/** The host in a connection string, without a user or a password. Undefined if it is not certain. */
export function hostOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { host, pathname, search, hash } = new URL(text)
  // If a password contains an unencoded /, ? or #, its beginning looks like the host.
  return host && !`${pathname}${search}${hash}`.includes('@') ? host : undefined
}

/** The address in a stored credential. */
export const whereOfCredential = ({
  scheme,
  host,
}: {
  readonly scheme: string
  readonly host: string
}): string => `${scheme}://${host}`

/** True if a string is a URL with a password, or with another secret that gives access to a database. */
export function hasPassword(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { password, searchParams } = new URL(text)
  return password !== '' || [...searchParams.keys()].some((name) => SECRET.test(name))
}

const SECRET = /pass|pwd|token|secret|api_?key/i
