/** A Hyperdrive binding, as a Worker has one for this URL of a database. */
export function hyperdriveTo(url: string) {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent)
  return {
    // What is in it besides its scheme is not read: nothing there is percent-encoded.
    connectionString: `${protocol}//%@%`,
    ...{ host: hostname, port: Number(port), user, password: secret, database },
  }
}
