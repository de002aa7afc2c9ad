// The metadata of the protected resource (RFC 9728): which authorization server is in charge of the endpoint.
import { ALL } from './hosts.mjs'
import { checkPages, faultOfNamed, readMetadata, textsIn, wellKnown } from './metadata.mjs'

const NAME = 'oauth-protected-resource'

/** Hosts that compare `resource` with the URL letter by letter. Others take an origin or a folder above it. */
const EXACT = ['claude', 'gemini']

/**
 * Checks the document at the well-known address, and the one that the 401 names if that is another.
 * @returns the issuer of the first authorization server, or undefined
 */
export async function checkResourceMetadata(visit, { metadata, found }) {
  const { report, url } = visit
  const address = wellKnown(url, NAME)
  const read = await readMetadata(visit, address)
  const named =
    metadata && metadata.href !== address ? await readMetadata(visit, metadata.href) : read
  const described = read.document ?? named.document
  if (!described && found?.resource_metadata === undefined && read.answer.status === 404)
    return undefined
  if (read.fault) {
    report.problem('resource-metadata', {
      // Others follow the address in the 401.
      ...(named.document && { stops: [] }),
      seen: `${new URL(address).pathname} ${read.fault}.`,
      mend: 'Answer it with 200 and JSON, without a key and without a redirect.',
    })
  }
  if (named.fault && named !== read) {
    report.problem('resource-metadata', {
      seen: `The address in the 401, ${report.quoted(metadata.pathname)}, ${named.fault}.`,
      mend: 'Name the well-known address of this endpoint there.',
    })
  }
  if (!metadata) sayUnannounced(visit, found, described)
  if (!described) return undefined
  if (!read.fault && !named.fault) report.ok('resource-metadata', 'The resource metadata is there.')
  sayResource(visit, described)
  sayScopes(report, described)
  checkPages(visit, 'resource-metadata-page', read.document ? read : named)
  return issuerIn(visit, described)
}

/** Says that the 401 does not lead to the metadata. Where it is at the well-known address, most hosts find it. */
function sayUnannounced({ report, url }, found, described) {
  if (found?.resource_metadata !== undefined) {
    return report.problem('challenge', {
      ...(described && { stops: [] }),
      seen: `The resource_metadata of the 401 is ${report.quoted(found.resource_metadata)}: no whole URL at ${url.origin}.`,
      mend: 'Make it from the address of the request: https, the host that was asked, and the well-known path.',
    })
  }
  if (!described) return
  report.problem('challenge', {
    stops: [],
    seen: 'There is a sign-in, and the WWW-Authenticate of the 401 does not say where: only hosts that guess find it.',
    mend: 'Send WWW-Authenticate: Bearer resource_metadata="…", scope="…" with every 401.',
  })
}

function sayResource({ report, url, pasted }, { resource }) {
  const written = url.pathname === '/' ? [pasted, url.origin] : [pasted]
  if (written.includes(resource)) return report.ok('resource', 'The resource is the URL itself.')
  const above =
    typeof resource === 'string' && URL.canParse(resource) && isAbove(new URL(resource), url)
  report.problem('resource', {
    hosts: above ? EXACT : ALL,
    seen: `The resource in the metadata is ${report.quoted(resource)}, and not the URL that was pasted.`,
    mend: 'Make it equal to the URL, to the last letter: most often it is a slash, http, or an inner host name. Or paste the one it names.',
  })
}

const isAbove = (resource, url) =>
  resource.origin === url.origin &&
  `${url.pathname}/`.startsWith(
    resource.pathname.endsWith('/') ? resource.pathname : `${resource.pathname}/`,
  )

function sayScopes(report, { scopes_supported: scopes }) {
  if (!textsIn(scopes).includes('offline_access')) return
  report.note('resource-scopes', {
    seen: 'The scopes_supported of the resource has offline_access, which is no right at this server.',
    mend: 'Name it in the metadata of the authorization server only.',
  })
}

function issuerIn(visit, { authorization_servers: servers }) {
  const { report } = visit
  const [issuer] = textsIn(servers)
  const fault = issuer === undefined ? 'is missing' : faultOfNamed(visit, issuer)
  if (!fault) {
    report.ok('authorization-servers', `The authorization server is ${report.quoted(issuer)}.`)
    return issuer
  }
  report.problem('authorization-servers', {
    seen: `The first of authorization_servers ${fault}${issuer === undefined ? '' : `: ${report.quoted(issuer)}`}.`,
    mend: 'List the issuer of the authorization server, an https URL.',
  })
  return undefined
}
