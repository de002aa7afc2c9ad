import { describe, expect, test } from 'vitest'
import { otherwise, page } from '../servers/oauth-host.ts'
import {
  ALL,
  answering,
  CLAUDE,
  GEMINI,
  ORIGIN,
  RESOURCE,
  type Row,
  shutOut,
  troubles,
  URL_PASTED,
  wrongHost,
} from '../support/host-checks.ts'

const metadata = `resource_metadata="${ORIGIN}${RESOURCE}"`

/** Servers whose challenge or resource metadata is wrong in one way. */
const wrongs: Row[] = [
  [
    'names its metadata with a path',
    { challenge: `Bearer resource_metadata="${RESOURCE}", scope="db:read"` },
    ['problem challenge'],
    [],
  ],
  [
    'names metadata on another origin',
    {
      challenge: `Bearer resource_metadata="https://other.example.com${RESOURCE}", scope="db:read"`,
    },
    ['problem challenge'],
    [],
  ],
  [
    'names missing metadata with a path',
    { challenge: 'Bearer resource_metadata="/meta", scope="db:read"', without: ['resource'] },
    ['problem resource-metadata', 'problem challenge'],
    ALL,
  ],
  ['has no resource_metadata in the challenge', { challenge: 'Bearer' }, ['problem challenge'], []],
  ['has no challenge', { challenge: null }, ['problem challenge', 'note wrong-token'], []],
  [
    'names no scope in the challenge',
    { challenge: `Basic realm="x", Bearer ${metadata}` },
    ['note challenge-scope'],
    [],
  ],
  [
    'names offline_access in the challenge',
    { challenge: `Bearer ${metadata}, scope="db:read offline_access"` },
    ['note challenge-scope'],
    [],
  ],
  [
    'has an error in the challenge without a token',
    { challenge: `Bearer ${metadata}, scope="db:read", error="invalid_token"` },
    ['note challenge-error'],
    [],
  ],
  [
    'answers a wrong token with 403',
    answering('POST tools/list', { status: 403 }),
    ['problem wrong-token'],
    [],
  ],
  [
    'has no error for a wrong token',
    answering('POST tools/list', { headers: { 'www-authenticate': `Bearer ${metadata}` } }),
    ['note wrong-token'],
    [],
  ],
  [
    'requires a key for its metadata',
    answering(`GET ${RESOURCE}`, { status: 401 }),
    ['problem resource-metadata', 'problem well-knowns'],
    ALL,
  ],
  [
    'has a page instead of its metadata',
    { answers: { [`GET ${RESOURCE}`]: () => page() } },
    ['problem resource-metadata', 'problem well-knowns'],
    ALL,
  ],
  [
    'redirects its metadata',
    answering(`GET ${RESOURCE}`, { status: 302, headers: { location: '/elsewhere' } }),
    ['problem resource-metadata', 'problem well-knowns'],
    ALL,
  ],
  [
    'has an array as metadata',
    answering(`GET ${RESOURCE}`, { body: '[]' }),
    ['problem resource-metadata', 'problem well-knowns'],
    ALL,
  ],
  [
    'has its metadata only at the URL in the challenge',
    {
      challenge: `Bearer resource_metadata="${ORIGIN}/meta", scope="db:read"`,
      without: ['resource'],
      answers: {
        'GET /meta': (right) =>
          otherwise(right, {
            status: 200,
            body: JSON.stringify({ resource: URL_PASTED, authorization_servers: [ORIGIN] }),
          }),
      },
    },
    ['problem resource-metadata'],
    [],
  ],
  [
    'has no metadata at the URL in the challenge',
    { challenge: `Bearer resource_metadata="${ORIGIN}/meta", scope="db:read"` },
    ['problem resource-metadata'],
    ALL,
  ],
  [
    'names another resource',
    { resource: { resource: 'http://localhost:8080/mcp' } },
    ['problem resource'],
    ALL,
  ],
  [
    'has a slash after its resource',
    { resource: { resource: `${URL_PASTED}/` } },
    ['problem resource'],
    [CLAUDE, GEMINI],
  ],
  [
    'has only its origin as resource',
    { resource: { resource: ORIGIN } },
    ['problem resource'],
    [CLAUDE, GEMINI],
  ],
  [
    'has offline_access among the scopes of the resource',
    { resource: { scopes_supported: ['offline_access'] } },
    ['note resource-scopes'],
    [],
  ],
  [
    'has metadata that web pages cannot read',
    answering(`GET ${RESOURCE}`, { headers: { 'access-control-allow-origin': null } }),
    ['problem resource-metadata-page'],
    [],
  ],
  [
    'names no authorization server',
    { resource: { authorization_servers: [] } },
    ['problem authorization-servers'],
    ALL,
  ],
  [
    'names an authorization server in a private network',
    { resource: { authorization_servers: ['https://169.254.169.254'] } },
    ['problem authorization-servers'],
    ALL,
  ],
  [
    'names an authorization server over http',
    { resource: { authorization_servers: ['http://gate.example.com'] } },
    ['problem authorization-servers'],
    ALL,
  ],
]

describe('a server with a sign-in', () => {
  test.each(wrongs)('gets the right findings if it %s', async (_, wrong, found, out) => {
    const report = await wrongHost(wrong)
    expect(troubles(report)).toEqual(found)
    expect(shutOut(report)).toEqual(out)
  })
})
