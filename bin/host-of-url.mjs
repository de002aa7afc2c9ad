/** The host in a connection string, without a user or a password. Undefined if it is not certain. */
export function hostOfUrl(text) {
  if (!URL.canParse(text)) return undefined
  const { host, pathname, search, hash } = new URL(text)
  // If a password contains a / ? or # that is not encoded, its beginning looks like the host.
  return host && !`${pathname}${search}${hash}`.includes('@') ? host : undefined
}
