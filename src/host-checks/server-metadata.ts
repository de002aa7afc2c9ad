// The metadata of the authorization server (RFC 8414), which says what hosts can do there.
import type { Examination } from './examination.ts'
import { ALL, type HostId, REGISTERING } from './hosts.ts'
import { type JsonFields, textsIn } from './json.ts'
import {
  checkPages,
  type NamedUrl,
  type ReadMetadata,
  readMetadata,
  readNamed,
  wellKnown,
} from './metadata.ts'
import type { Report } from './report.ts'

/** Hosts that sign in as public clients, without a secret. */
const PUBLIC = ALL.filter((it) => it !== 'chatgpt' && it !== 'n8n')

/** An authorization server that hosts can use. */
export interface UsableAuthorizationServer {
  readonly authorize: URL
  readonly token: URL
  readonly registration: URL | undefined
  /** The hosts that must register. */
  readonly registering: readonly HostId[]
}

/** Checks this issuer's metadata. Returns the server, or undefined if no host gets any further. */
export async function checkServerMetadata(
  exam: Examination,
  issuer: string,
): Promise<UsableAuthorizationServer | undefined> {
  const { report } = exam
  const read = await find(exam, new URL(issuer))
  const { document } = read
  if (!document) {
    report.problem('server-metadata', {
      seen: `The authorization server's metadata ${read.fault}.`,
      fix: 'Serve /.well-known/oauth-authorization-server there with 200 and JSON, without a redirect.',
    })
    return undefined
  }
  report.ok('server-metadata', "The authorization server's metadata was found.")
  checkPages(exam, 'server-metadata-page', read)
  report.check('issuer', document.issuer === issuer, {
    ok: 'The issuer is the one that the resource names.',
    seen: `The issuer is ${report.quoted(document.issuer)}, but the resource names ${report.quoted(issuer)}.`,
    fix: 'Make them match exactly, down to the last slash.',
  })
  const authorize = readNamed(exam, document.authorization_endpoint)
  const token = readNamed(exam, document.token_endpoint)
  const registration = readNamed(exam, document.registration_endpoint)
  const readsDocuments = document.client_id_metadata_document_supported === true
  const registering = readsDocuments ? REGISTERING : ALL
  sayEndpoints(report, { authorization_endpoint: authorize, token_endpoint: token })
  sayFlow(report, document)
  if (registration.fault && document.registration_endpoint !== undefined) {
    report.problem('registration', {
      hosts: registering,
      seen: `The registration_endpoint ${registration.fault}.`,
      fix: 'Make it a full https URL.',
    })
  } else sayIdentity(report, readsDocuments, registration.url !== undefined)
  sayMethods(report, document, readsDocuments)
  sayLasting(report, document)
  if (!authorize.url || !token.url) return undefined
  return { authorize: authorize.url, token: token.url, registration: registration.url, registering }
}

/** Finds the document by RFC 8414, or else by OpenID Connect. */
async function find(exam: Examination, issuer: URL): Promise<ReadMetadata> {
  const path = issuer.pathname.replace(/\/$/, '')
  const bare = { origin: issuer.origin, pathname: path || '/' }
  const first = await readMetadata(exam, wellKnown(bare, 'oauth-authorization-server'))
  if (first.document) return first
  const others = [
    wellKnown(bare, 'openid-configuration'),
    `${issuer.origin}${path}/.well-known/openid-configuration`,
  ]
  for (const address of new Set(others)) {
    const read = await readMetadata(exam, address)
    if (read.document) return read
  }
  return first
}

function sayEndpoints(report: Report, endpoints: Readonly<Record<string, NamedUrl>>) {
  const wrong = Object.entries(endpoints)
    .filter(([, { fault }]) => fault)
    .map(([name, { fault }]) => `${name} ${fault}`)
  report.check('server-endpoints', wrong.length === 0, {
    ok: 'The authorization and token endpoints are where hosts can reach them.',
    seen: `In the authorization server's metadata, ${wrong.join(', and ')}.`,
    fix: 'Make both full https URLs.',
  })
}

function sayFlow(report: Report, document: JsonFields) {
  const { code_challenge_methods_supported: methods, response_types_supported: types } = document
  report.check('pkce', textsIn(methods).includes('S256'), {
    ok: 'PKCE with S256 is supported.',
    seen: 'code_challenge_methods_supported does not include S256, so hosts must stop here.',
    fix: 'Support PKCE, and say so: ["S256"].',
  })
  if (!textsIn(types).includes('code')) {
    report.problem('response-types', {
      seen: 'response_types_supported does not include code.',
      fix: 'Support the authorization code flow, and say so: ["code"].',
    })
  }
  report.check('iss', document.authorization_response_iss_parameter_supported === true, {
    ok: "The authorization endpoint's responses name their issuer.",
    state: 'note',
    hosts: ['claude-code', 'codex'],
    seen: "The metadata does not promise that the authorization endpoint's responses name their issuer (RFC 9207).",
    fix: 'Send iss with every response, including errors, and set authorization_response_iss_parameter_supported.',
  })
}

/** Reports how a host identifies itself. */
function sayIdentity(report: Report, readsDocuments: boolean, registers: boolean) {
  if (readsDocuments && registers)
    return report.ok('registration', 'Clients can provide a metadata document, or register.')
  if (readsDocuments) {
    return report.problem('registration', {
      hosts: REGISTERING,
      seen: 'Clients cannot register, and Gemini CLI, mcp-remote and n8n have no other way to identify themselves.',
      fix: 'Add a registration_endpoint (RFC 7591).',
    })
  }
  if (registers) {
    return report.note('registration', {
      seen: 'Clients have to register. Claude and ChatGPT prefer client ID metadata documents, which are not supported.',
      fix: 'Support them, and set client_id_metadata_document_supported.',
    })
  }
  report.problem('registration', {
    seen: 'Clients can neither provide a metadata document nor register, so hosts cannot get a client_id.',
    fix: 'Support client ID metadata documents and dynamic registration.',
  })
}

/** Reports how a host can authenticate. */
function sayMethods(
  report: Report,
  { token_endpoint_auth_methods_supported: list }: JsonFields,
  readsDocuments: boolean,
) {
  const methods = textsIn(list)
  const lacksKeys = readsDocuments && !methods.includes('private_key_jwt')
  if (!methods.includes('none')) {
    report.problem('client-authentication', {
      hosts: lacksKeys ? [...PUBLIC, 'chatgpt'] : PUBLIC,
      seen: 'token_endpoint_auth_methods_supported does not include none, and most hosts cannot keep a secret.',
      fix: 'Support public clients, and say so: ["none", …].',
    })
  } else if (lacksKeys) {
    report.note('client-authentication', {
      hosts: ['chatgpt'],
      seen: 'token_endpoint_auth_methods_supported does not include private_key_jwt, which ChatGPT prefers.',
      fix: 'Support it in addition to none.',
    })
  } else report.ok('client-authentication', 'Hosts that cannot keep a secret can sign in.')
}

function sayLasting(report: Report, document: JsonFields) {
  const { grant_types_supported: grants, scopes_supported: scopes } = document
  if (grants !== undefined && !textsIn(grants).includes('authorization_code')) {
    report.problem('grant-types', {
      seen: 'grant_types_supported does not include authorization_code.',
      fix: 'Add it.',
    })
  }
  report.check('refresh', textsIn(grants).includes('refresh_token'), {
    ok: 'Tokens can be refreshed.',
    stops: [],
    seen: 'grant_types_supported does not include refresh_token, so people must sign in again each time a token expires.',
    fix: 'Support refresh tokens, and say so.',
  })
  report.check('offline-access', textsIn(scopes).includes('offline_access'), {
    ok: 'Hosts can request offline_access.',
    state: 'note',
    hosts: ['claude-code', 'codex'],
    seen: 'scopes_supported does not include offline_access, so hosts that need it for a refresh token do not request it.',
    fix: "Add it here, but not in the resource's metadata.",
  })
}
