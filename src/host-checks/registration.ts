// Dynamic registration (RFC 7591).
import type { Examination } from './examination.ts'
import type { HostId } from './hosts.ts'
import { fieldsOf, jsonIn } from './json.ts'
import { type ProbeAnswer, said } from './probe.ts'

/** Redirect URI for the authorization server's response. Nothing listens there. */
export const CALLBACK = 'http://127.0.0.1:33418/callback'

const CLIENT = {
  client_name: 'Tidegate doctor',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/**
 * Checks that the registration endpoint exists, with a request that cannot be mistaken for a registration.
 * @param hosts the hosts that must register
 */
export async function checkRegistrationEndpoint(
  exam: Examination,
  endpoint: URL,
  hosts: readonly HostId[],
) {
  const answer = await register(exam, endpoint, '{')
  const { status } = answer
  const isShut = [0, 401, 403, 404, 405].includes(status)
  exam.report.check('registration-endpoint', status >= 400 && status < 500 && !isShut, {
    ok: `The registration endpoint exists: an invalid client gets ${status}.`,
    hosts,
    stops: isShut ? hosts : [],
    seen: `The registration endpoint ${said(answer)} for an invalid client, instead of 400.`,
    fix: 'Let clients register without a token, and reject invalid ones with 400 and invalid_client_metadata.',
  })
}

/**
 * Registers two clients, which stay registered: one without a secret, and one that specifies no authentication
 * method.
 * @param hosts the hosts that must register
 * @returns the `client_id` of the first, or undefined
 */
export async function checkRegistration(
  exam: Examination,
  endpoint: URL,
  hosts: readonly HostId[],
): Promise<string | undefined> {
  const { report } = exam
  const body = { ...CLIENT, token_endpoint_auth_method: 'none', application_type: 'native' }
  const answer = await register(exam, endpoint, JSON.stringify(body))
  const { client_id: id, client_secret: secret } = fieldsOf(jsonIn(answer.text))
  if (answer.status === 429) {
    report.note('register', {
      hosts: [],
      seen: `Registering a client ${said(answer)}: too many were registered recently.`,
      fix: 'Try again in an hour.',
    })
    return undefined
  }
  if (answer.status !== 201 || typeof id !== 'string') {
    report.problem('register', {
      hosts,
      seen: `Registering a client ${said(answer)}${answer.status === 201 ? ' without a client_id' : ' instead of 201'}.`,
      fix: 'Accept a client that has a loopback redirect URI, no secret, and unknown fields.',
    })
    return undefined
  }
  report.ok('register', 'Registering a client returns 201.')
  if (secret !== undefined) {
    report.problem('register-secret', {
      hosts,
      stops: [],
      seen: 'A client with the method none got a secret.',
      fix: 'Give a secret only to a client whose method needs one.',
    })
  }
  await checkUsualMethod(exam, endpoint)
  return id
}

async function checkUsualMethod(exam: Examination, endpoint: URL) {
  const answer = await register(exam, endpoint, JSON.stringify(CLIENT))
  const { token_endpoint_auth_method: method = 'client_secret_basic', client_secret: secret } =
    fieldsOf(jsonIn(answer.text))
  const isRight = answer.status === 201 && (method === 'none') === (secret === undefined)
  exam.report.check('register-method', isRight, {
    ok: 'A client that specifies no method gets one, and a secret if it needs one.',
    hosts: ['claude'],
    stops: [],
    seen:
      answer.status === 201
        ? 'A client that specifies no method got a method and a secret that do not match.'
        : `Registering a client that specifies no method ${said(answer)} instead of 201.`,
    fix: 'Give it client_secret_basic and a client_secret, as RFC 7591 says.',
  })
}

const register = ({ probe }: Examination, endpoint: URL, body: string): Promise<ProbeAnswer> =>
  probe(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
  })
