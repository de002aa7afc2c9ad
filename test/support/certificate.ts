import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Certificate } from '../servers/tcp.ts'

/** A new certificate for `localhost` that vouches for itself; nothing on a machine without openssl. */
export function makeCertificate(): (Certificate & { readonly path: string }) | undefined {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-certificate-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  try {
    const args = ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert]
    execFileSync('openssl', args, { stdio: 'pipe' })
  } catch {
    return undefined
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), path: cert }
}
