// Dynamic registration (RFC 7591).
import { objectOf, said } from './probe.mjs'

/** Where the answer of the authorization server would go: nobody listens there. */
export const CALLBACK = 'http://127.0.0.1:33418/callback'

const client = {
  client_name: 'Tidegate doctor',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/**
 * Checks that the registration endpoint is there, by a request that nobody could take for a client.
 * @param hosts those that have to register
 */
export async function checkRegistrationEndpoint({ report, probe }, endpoint, hosts) {
  const answer = await register(probe, endpoint, '{')
  const { status } = answer
  const isShut = [0, 401, 403, 404, 405].includes(status)
  if (status >= 400 && status < 500 && !isShut) {
    return report.ok(
      'registration-endpoint',
      `The registration endpoint is there: what is no client gets ${status}.`,
    )
  }
  report.problem('registration-endpoint', {
    hosts,
    stops: isShut ? hosts : [],
    seen: `The registration endpoint ${said(answer)} to what is no client, and not 400.`,
    mend: 'Let clients register without a token, and answer a mistake with 400 and invalid_client_metadata.',
  })
}

/**
 * Registers two clients, which stay: one without a secret, and one that leaves open how it proves itself.
 * @param hosts those that have to register
 * @returns the `client_id` of the first, or undefined
 */
export async function checkRegistration({ report, probe }, endpoint, hosts) {
  const body = { ...client, token_endpoint_auth_method: 'none', application_type: 'native' }
  const answer = await register(probe, endpoint, JSON.stringify(body))
  const made = objectOf(answer)
  if (answer.status === 429) {
    report.note('register', {
      hosts: [],
      seen: `The registration of a client ${said(answer)}: too many were registered of late.`,
      mend: 'Ask again in an hour.',
    })
    return undefined
  }
  if (answer.status !== 201 || typeof made?.client_id !== 'string') {
    report.problem('register', {
      hosts,
      seen: `The registration of a client ${said(answer)}${answer.status === 201 ? ' without a client_id' : ', and not 201'}.`,
      mend: 'Take a client with a loopback redirect URI and without a secret, and fields that you do not know.',
    })
    return undefined
  }
  report.ok('register', 'A client is registered with 201.')
  if (made.client_secret !== undefined) {
    report.problem('register-secret', {
      hosts,
      stops: [],
      seen: 'A client with the method none got a secret.',
      mend: 'Give a secret only to a client whose method needs one.',
    })
  }
  await checkUsualMethod({ report, probe }, endpoint)
  return made.client_id
}

async function checkUsualMethod({ report, probe }, endpoint) {
  const answer = await register(probe, endpoint, JSON.stringify(client))
  const made = objectOf(answer)
  const { token_endpoint_auth_method: method = 'client_secret_basic', client_secret: secret } =
    made ?? {}
  if (answer.status === 201 && (method === 'none') === (secret === undefined)) {
    return report.ok(
      'register-method',
      'A client that names no method gets one, and a secret if it needs one.',
    )
  }
  report.problem('register-method', {
    hosts: ['claude'],
    stops: [],
    seen:
      answer.status === 201
        ? 'A client that names no method got no secret, and was not told that it needs none.'
        : `The registration of a client that names no method ${said(answer)}, and not 201.`,
    mend: 'Give it client_secret_basic and a client_secret, as RFC 7591 has it.',
  })
}

const register = (probe, endpoint, body) =>
  probe(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  })
