import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Certificate } from '../servers/tcp.ts'

/** A certificate and its key, with their files. */
export interface CertificateFiles extends Certificate {
  readonly path: string
  readonly keyPath: string
}

/**
 * Creates a self-signed certificate for `localhost`. Without openssl, it logs the reason and returns undefined,
 * or throws if REQUIRE_ALL=1.
 */
export function makeCertificate(): CertificateFiles | undefined {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-certificate-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const [keyPath, path] = [join(home, 'key.pem'), join(home, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  try {
    const args = ['req', '-x509', ...kind, ...name, '-keyout', keyPath, '-out', path]
    execFileSync('openssl', args, { stdio: 'pipe' })
  } catch (error) {
    if (process.env.REQUIRE_ALL === '1') throw error
    console.warn(`Skipped for want of a certificate: ${(error as Error).message}`)
    return undefined
  }
  return { key: readFileSync(keyPath, 'utf8'), cert: readFileSync(path, 'utf8'), path, keyPath }
}

/** Creates a certificate for `localhost`, signed by an authority with this name. It expires after `days`. */
export function makeSignedCertificate(authority: string, days = 2): CertificateFiles {
  const own = makeCertificate()!
  const home = dirname(own.path)
  const at = (name: string) => join(home, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const root = ['-subj', authority, '-keyout', at('ca-key.pem'), '-out', at('ca.pem')]
  openssl('req', '-x509', ...kind, ...root)
  openssl('x509', '-x509toreq', '-in', own.path, '-signkey', own.keyPath, '-out', at('request'))
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,DNS:*.db.example.com')
  const by = ['-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), '-days', String(days)]
  openssl('x509', '-req', '-in', at('request'), ...by, '-extfile', at('names'), '-out', own.path)
  return { ...own, cert: readFileSync(own.path, 'utf8') }
}
