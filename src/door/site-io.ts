import { waitUntil } from 'cloudflare:workers'
import type { CredentialIo, Endpoint } from '../gateway/index.ts'
import { openCredential } from '../registry/index.ts'
import { type Env, listIn } from './env.ts'
import type { Site, Sites } from './sites.ts'

/** The connections to sites' databases, and the parts of the machine that their URLs can use. */
export function siteIo(env: Env, { configured, privateHosts }: Sites) {
  const bindings = { ...env }
  const isTrusted = privateHosts.includes('*')

  /**
   * The parts of the machine that URLs from the registry can use. The author of an entry may not own the machine, so
   * the machine's files are left out, unless PRIVATE_HOSTS contains `*`.
   */
  const lent = (allowed: readonly string[] = privateHosts): CredentialIo['machine'] =>
    isTrusted ? env.MACHINE : env.MACHINE?.guest?.(allowed)

  const ownUrls = configured.flatMap(({ endpoint }) => urlsOf(endpoint))
  // A person who enters a URL may not own the machine, and its variables hold more than URLs.
  const secrets = ['DATABASE_URL', ...listIn(env.DATABASE_SECRETS)].map((it) => `secret:${it}`)
  const mayName = (url: string) =>
    !env.MACHINE || isTrusted || secrets.includes(url) || ownUrls.includes(url)

  /** True if a URL comes from the configuration. A group's URL does not. */
  const isOwn = (endpoint: Endpoint, url: string) =>
    configured.some((it) => it.endpoint === endpoint) && urlsOf(endpoint).includes(url)

  const ioOf = ({ credentials, endpoint, privateHosts }: Site): CredentialIo => ({
    fetch: (...args) => (env.MACHINE?.fetch ?? fetch)(...args),
    bindings,
    waitUntil,
    machine: env.MACHINE,
    lent: (url) =>
      url.startsWith('secret:') || isOwn(endpoint, url) ? undefined : lent(privateHosts),
    mayName: (url) => (isOwn(endpoint, url) ? undefined : mayName(url)),
    credential(id) {
      const stored = credentials[id]
      const read = () => openCredential(stored!, env, privateHosts)
      return stored && { scheme: stored.scheme, read, machine: lent(privateHosts) }
    },
  })
  return { ioOf, lent: lent() }
}

const urlsOf = ({ databases }: Endpoint) => Object.values(databases).map(({ url }) => url)
