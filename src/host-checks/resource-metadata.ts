// The metadata of the protected resource (RFC 9728), which names the endpoint's authorization server.
import type { Challenge } from './challenge.ts'
import type { Examination } from './examination.ts'
import { ALL, type HostId } from './hosts.ts'
import { type JsonFields, textsIn, urlIn } from './json.ts'
import { checkPages, readMetadata, readNamed, wellKnown } from './metadata.ts'

/** Hosts that compare `resource` with the URL character by character. Other hosts accept an origin or a parent path. */
const EXACT: readonly HostId[] = ['claude', 'gemini']

/**
 * Checks the document at the well-known address, and the one that the 401 names if that is different.
 * @returns the issuer of the first authorization server, or undefined
 */
export async function checkResourceMetadata(exam: Examination, { metadata, bearer }: Challenge) {
  const { report, url } = exam
  const address = wellKnown(url, 'oauth-protected-resource')
  const read = await readMetadata(exam, address)
  const named =
    metadata && metadata.href !== address ? await readMetadata(exam, metadata.href) : read
  const described = read.document ?? named.document
  if (!described && bearer?.resource_metadata === undefined && read.answer.status === 404)
    return undefined
  if (read.fault) {
    report.problem('resource-metadata', {
      // Hosts can follow the address in the 401 instead.
      ...(named.document && { stops: [] }),
      seen: `${new URL(address).pathname} ${read.fault}.`,
      fix: 'Serve it with 200 and JSON, without a key and without a redirect.',
    })
  }
  if (named.fault && named !== read) {
    report.problem('resource-metadata', {
      seen: `The address in the 401, ${report.quoted(metadata?.pathname)}, ${named.fault}.`,
      fix: "Put this endpoint's well-known address there.",
    })
  }
  if (!metadata) sayUnannounced(exam, bearer?.resource_metadata, described)
  if (!described) return undefined
  if (!read.fault && !named.fault)
    report.ok('resource-metadata', 'The resource metadata was found.')
  sayResource(exam, described)
  sayScopes(exam, described)
  checkPages(exam, 'resource-metadata-page', read.document ? read : named)
  return issuerIn(exam, described)
}

/** Reports that the 401 does not name the metadata. If it is at the well-known address, most hosts find it. */
function sayUnannounced(
  { report, url }: Examination,
  announced: string | undefined,
  described: JsonFields | undefined,
) {
  if (announced !== undefined) {
    return report.problem('challenge', {
      ...(described && { stops: [] }),
      seen: `The resource_metadata in the 401 is ${report.quoted(announced)}, which is not a full URL at ${url.origin}.`,
      fix: "Build it from https, the request's host, and the well-known path.",
    })
  }
  if (!described) return
  report.problem('challenge', {
    stops: [],
    seen: 'There is a sign-in, but the WWW-Authenticate header of the 401 does not say where, so only hosts that guess the address find it.',
    fix: 'Send WWW-Authenticate: Bearer resource_metadata="…", scope="…" with every 401.',
  })
}

function sayResource({ report, url, pasted }: Examination, { resource }: JsonFields) {
  if (resource === pasted || (url.pathname === '/' && resource === url.origin))
    return report.ok('resource', 'The resource is the URL itself.')
  const named = urlIn(resource)
  report.problem('resource', {
    hosts: named && isAbove(named, url) ? EXACT : ALL,
    seen: `The resource in the metadata is ${report.quoted(resource)} instead of the pasted URL.`,
    fix: 'Make it match the URL exactly. The difference is usually a slash, http, or an internal host name. Or paste the URL that it names.',
  })
}

const isAbove = (resource: URL, url: URL): boolean =>
  resource.origin === url.origin &&
  `${url.pathname}/`.startsWith(
    resource.pathname.endsWith('/') ? resource.pathname : `${resource.pathname}/`,
  )

function sayScopes({ report }: Examination, { scopes_supported: scopes }: JsonFields) {
  if (!textsIn(scopes).includes('offline_access')) return
  report.note('resource-scopes', {
    seen: "The resource's scopes_supported includes offline_access, which is not a permission on this server.",
    fix: "List it only in the authorization server's metadata.",
  })
}

function issuerIn(exam: Examination, { authorization_servers: servers }: JsonFields) {
  const { report } = exam
  const [issuer] = textsIn(servers)
  const { fault } = readNamed(exam, issuer)
  if (!fault) {
    report.ok('authorization-servers', `The authorization server is ${report.quoted(issuer)}.`)
    return issuer
  }
  report.problem('authorization-servers', {
    seen: `The first entry in authorization_servers ${fault}${issuer === undefined ? '' : `: ${report.quoted(issuer)}`}.`,
    fix: "List the authorization server's issuer, which is an https URL.",
  })
  return undefined
}
