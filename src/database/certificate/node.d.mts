/** All that is used of Node's `net` and `crypto`. Their own types would need those of Node. */

/** A socket of Node, or of Workers. */
export interface Socket extends AsyncIterable<Uint8Array> {
  on(event: 'error', listener: (error: unknown) => void): unknown
  write(bytes: Uint8Array): unknown
  destroy(): unknown
}

export declare function connect(address: { readonly host: string; readonly port: number }): Socket

/** A certificate, read from its DER. Throws if it is none. */
export declare class X509Certificate {
  constructor(der: Uint8Array)
  /** A line for each part of the name: `CN=…`. */
  readonly subject: string
  readonly issuer: string
  /** `DNS:localhost, IP Address:127.0.0.1`. */
  readonly subjectAltName: string | undefined
  readonly validFrom: string
  readonly validTo: string
  checkHost(name: string): string | undefined
  checkIP(address: string): string | undefined
}
