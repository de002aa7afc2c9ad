// The metadata of the authorization server (RFC 8414): what a host can do there.
import { ALL, REGISTERING } from './hosts.mjs'
import { checkPages, faultOfNamed, readMetadata, textsIn, wellKnown } from './metadata.mjs'

/** Hosts that sign in as public clients, without a secret. */
const PUBLIC = ALL.filter((it) => it !== 'chatgpt' && it !== 'n8n')

/** Checks the metadata of this issuer. Returns it, or undefined if no host gets further. */
export async function checkServerMetadata(visit, issuer) {
  const { report } = visit
  const read = await find(visit, new URL(issuer))
  if (!read.document) {
    report.problem('server-metadata', {
      seen: `The metadata of the authorization server ${read.fault}.`,
      mend: 'Answer /.well-known/oauth-authorization-server there with 200 and JSON, without a redirect.',
    })
    return undefined
  }
  report.ok('server-metadata', 'The metadata of the authorization server is there.')
  checkPages(visit, 'server-metadata-page', read)
  const { document } = read
  if (document.issuer === issuer)
    report.ok('issuer', 'The issuer is the one that the resource names.')
  else {
    report.problem('issuer', {
      seen: `The issuer is ${report.quoted(document.issuer)}, where the resource names ${report.quoted(issuer)}.`,
      mend: 'Make both the same, to the last slash.',
    })
  }
  const usable = sayEndpoints(visit, document)
  sayFlow(report, document)
  sayIdentity(visit, document)
  sayLasting(report, document)
  return usable ? document : undefined
}

/** The document by RFC 8414, or else by OpenID Connect. */
async function find(visit, issuer) {
  const path = issuer.pathname.replace(/\/$/, '')
  const bare = { origin: issuer.origin, pathname: path || '/' }
  const first = await readMetadata(visit, wellKnown(bare, 'oauth-authorization-server'))
  if (first.document) return first
  const others = [
    wellKnown(bare, 'openid-configuration'),
    `${issuer.origin}${path}/.well-known/openid-configuration`,
  ]
  for (const address of new Set(others)) {
    const read = await readMetadata(visit, address)
    if (read.document) return read
  }
  return first
}

function sayEndpoints(visit, document) {
  const wrong = ['authorization_endpoint', 'token_endpoint'].flatMap((name) => {
    const fault = faultOfNamed(visit, document[name])
    return fault ? [`${name} ${fault}`] : []
  })
  if (wrong.length === 0) {
    visit.report.ok(
      'server-endpoints',
      'The authorization and token endpoints are where hosts can reach them.',
    )
    return true
  }
  visit.report.problem('server-endpoints', {
    seen: `In the metadata of the authorization server, ${wrong.join(', and ')}.`,
    mend: 'Name both as whole https URLs.',
  })
  return false
}

function sayFlow(report, document) {
  const { code_challenge_methods_supported: methods, response_types_supported: types } = document
  if (textsIn(methods).includes('S256')) report.ok('pkce', 'PKCE with S256 is there.')
  else {
    report.problem('pkce', {
      seen: 'code_challenge_methods_supported does not have S256: hosts must go no further.',
      mend: 'Support PKCE, and say so: ["S256"].',
    })
  }
  if (!textsIn(types).includes('code')) {
    report.problem('response-types', {
      seen: 'response_types_supported does not have code.',
      mend: 'Support the authorization code flow, and say so: ["code"].',
    })
  }
  if (document.authorization_response_iss_parameter_supported !== true) {
    report.note('iss', {
      hosts: ['claude-code', 'codex'],
      seen: 'Answers of the authorization endpoint are not promised to name their issuer (RFC 9207).',
      mend: 'Send iss with every answer, errors too, and set authorization_response_iss_parameter_supported.',
    })
  } else report.ok('iss', 'Answers of the authorization endpoint name their issuer.')
}

/** How a host makes itself known, and what it has to prove. */
function sayIdentity(visit, document) {
  const { report } = visit
  const cimd = document.client_id_metadata_document_supported === true
  const fault = faultOfNamed(visit, document.registration_endpoint)
  const registers = document.registration_endpoint !== undefined && !fault
  if (fault && document.registration_endpoint !== undefined) {
    report.problem('registration', {
      hosts: cimd ? REGISTERING : ALL,
      seen: `The registration_endpoint ${fault}.`,
      mend: 'Name it as a whole https URL.',
    })
  } else if (!cimd && !registers) {
    report.problem('registration', {
      seen: 'Clients can neither bring a metadata document nor register: hosts have no client_id.',
      mend: 'Support client ID metadata documents and dynamic registration.',
    })
  } else if (!registers) {
    report.problem('registration', {
      hosts: REGISTERING,
      seen: 'Clients cannot register, and Gemini CLI, mcp-remote and n8n have no other way.',
      mend: 'Add a registration_endpoint (RFC 7591).',
    })
  } else if (!cimd) {
    report.note('registration', {
      seen: 'Clients have to register: there are no client ID metadata documents, which Claude and ChatGPT prefer.',
      mend: 'Support them, and set client_id_metadata_document_supported.',
    })
  } else report.ok('registration', 'Clients can bring a metadata document, or register.')
  sayMethods(report, document, cimd)
}

function sayMethods(report, { token_endpoint_auth_methods_supported: list }, cimd) {
  const methods = textsIn(list)
  const byKey = methods.includes('private_key_jwt')
  if (!methods.includes('none')) {
    report.problem('client-authentication', {
      hosts: cimd && !byKey ? [...PUBLIC, 'chatgpt'] : PUBLIC,
      seen: 'token_endpoint_auth_methods_supported does not have none, and most hosts cannot keep a secret.',
      mend: 'Support public clients, and say so: ["none", …].',
    })
  } else if (cimd && !byKey) {
    report.note('client-authentication', {
      hosts: ['chatgpt'],
      seen: 'token_endpoint_auth_methods_supported does not have private_key_jwt, which ChatGPT prefers.',
      mend: 'Support it besides none.',
    })
  } else report.ok('client-authentication', 'Hosts that cannot keep a secret can sign in.')
}

function sayLasting(report, document) {
  const { grant_types_supported: grants, scopes_supported: scopes } = document
  if (grants !== undefined && !textsIn(grants).includes('authorization_code')) {
    report.problem('grant-types', {
      seen: 'grant_types_supported does not have authorization_code.',
      mend: 'Add it.',
    })
  }
  if (!textsIn(grants).includes('refresh_token')) {
    report.problem('refresh', {
      stops: [],
      seen: 'grant_types_supported does not have refresh_token: people would sign in again each time a token ends.',
      mend: 'Support refresh tokens, and say so.',
    })
  } else report.ok('refresh', 'Tokens can be refreshed.')
  if (!textsIn(scopes).includes('offline_access')) {
    report.note('offline-access', {
      hosts: ['claude-code', 'codex'],
      seen: 'scopes_supported does not have offline_access: hosts that ask for it to get a refresh token cannot tell.',
      mend: 'Add it, here and not in the metadata of the resource.',
    })
  } else report.ok('offline-access', 'Hosts can ask for offline_access.')
}
