import type { Platform } from '../machine.ts'
import type { SeenCertificate } from './server-certificate.ts'

/**
 * What is wrong with the certificate of a server, in sentences for its operator.
 *
 * @param host by which it was reached; left out where no host may be named
 */
export function certificateSentence(
  seen: SeenCertificate,
  host?: string,
  platform: Platform = 'worker',
): string {
  const trusts =
    platform === 'worker'
      ? 'A Worker trusts public authorities only'
      : 'This machine trusts public authorities, and those that NODE_EXTRA_CA_CERTS names'
  const known =
    platform === 'worker' ? `${trusts}, and cannot be told of another one.` : `${trusts}.`
  const { fault, issuer = 'nobody', isOwn, names = [], date = '' } = seen
  const by = isOwn ? 'signed itself' : `was signed by ${issuer}`
  switch (fault) {
    case 'none':
      return 'The server does not encrypt.'
    case 'old':
      return `The server speaks only versions of TLS before 1.2, which ${platform === 'worker' ? 'no Worker speaks' : 'Tidegate does not speak'}. Turn on TLS 1.2 or 1.3 in it.`
    case 'new':
      return `The server speaks TLS 1.3 only, so its certificate cannot be shown here. ${trusts}.`
    case 'expired':
      return `The certificate of the server expired on ${date}. It ${by}. Put a new one into the server.`
    case 'early':
      return `The certificate of the server is valid from ${date} on. It ${by}.`
    case 'name':
      if (host === undefined) {
        return `The certificate of the server is not for the host of its URL. It ${by}.`
      }
      return names.length === 0
        ? `The certificate of the server names no host, and was reached as ${host.slice(0, 253)}. It ${by}.`
        : `The certificate of the server is for ${names.join(', ')}, and not for ${host.slice(0, 253)}. It ${by}.`
    default:
      return isOwn
        ? `The certificate of the server signed itself: no public authority stands behind it. ${known}`
        : `The certificate of the server was signed by ${issuer}, and no public authority that ${platform === 'worker' ? 'a Worker' : 'this machine'} knows stands behind it. ${known}${chainless(seen)}`
  }
}

/** A certificate alone is not trusted, though its issuer may be. */
const chainless = ({ hasChain }: SeenCertificate) =>
  hasChain
    ? ''
    : ' The server sends no other certificate with it: if its issuer is a public authority, let the server send the whole chain.'
