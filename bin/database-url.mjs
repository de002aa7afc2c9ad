// What may be shown of the URL of a database.
import { hostOfUrl } from './host-of-url.mjs'

/** Whether a URL holds no password: it names a binding, a Worker secret, or what the registry keeps. */
export const hasNoSecret = (url) => /^(?:demo:|(?:secret|credential|hyperdrive|d1):\w+)$/.test(url)

/** Where a connection string leads, and not who logs in there and how. */
export function whereOf(url) {
  const host = hostOfUrl(url)
  return host ? `${new URL(url).protocol}//${host}` : 'a connection string'
}

/** The same of one that the registry keeps. */
export const whereOfCredential = ({ scheme, host }) => `${scheme}://${host}`
