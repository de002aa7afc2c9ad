/** Why an issuer cannot be asked, in a sentence for people. Nothing of it comes from the issuer. */
export class IssuerFault extends Error {
  override readonly name = 'IssuerFault'
}

/** Why a signed token is not taken, in a sentence for people. Nothing of it comes from the token. */
export class TokenFault extends Error {
  override readonly name = 'TokenFault'
}
