import type { SeenCertificate } from './server-certificate.ts'

/**
 * What is wrong with the certificate of a server, in sentences for its operator.
 *
 * @param host by which it was reached; left out where no host may be named
 */
export function certificateSentence(seen: SeenCertificate, host?: string): string {
  const { fault, issuer = 'nobody', isOwn, names = [], date = '' } = seen
  const by = isOwn ? 'signed itself' : `was signed by ${issuer}`
  switch (fault) {
    case 'none':
      return 'The server does not encrypt.'
    case 'old':
      return 'The server speaks only versions of TLS before 1.2, which no Worker speaks. Turn on TLS 1.2 or 1.3 in it.'
    case 'new':
      return 'The server speaks TLS 1.3 only, so its certificate cannot be shown here. A Worker trusts public authorities only.'
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
        ? 'The certificate of the server signed itself: no public authority stands behind it. A Worker trusts public authorities only, and cannot be told of another one.'
        : `The certificate of the server was signed by ${issuer}, and no public authority that a Worker knows stands behind it. A Worker trusts public authorities only, and cannot be told of another one.${chainless(seen)}`
  }
}

/** A certificate alone is not trusted, though its issuer may be. */
const chainless = ({ hasChain }: SeenCertificate) =>
  hasChain
    ? ''
    : ' The server sends no other certificate with it: if its issuer is a public authority, let the server send the whole chain.'
