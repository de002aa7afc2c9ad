/**
 * True if a host name in a URL always means this machine, so unencrypted traffic does not leave it. A name under
 * `localhost` does not count, since some resolvers look it up on the network.
 */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(hostname)
