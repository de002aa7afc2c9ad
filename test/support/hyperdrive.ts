/** A Hyperdrive binding of a Worker for this database URL. */
export function hyperdriveTo(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent)
  return {
    // Only its scheme is read, because the rest is not percent-encoded.
    connectionString: `${protocol}//%@%`,
    ...{ host: hostname, port: Number(port), user, password: secret, database },
  }
}
