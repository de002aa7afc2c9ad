// All checks of a URL, in the order in which a host would meet what they look at.
import { checkAddress, checkReach, reachOf } from './address.mjs'
import { checkAgents } from './agents.mjs'
import { checkAuthorizationPage, checkUnknownClient } from './authorization-page.mjs'
import { checkChallenge, checkChallenges } from './challenge.mjs'
import { checkEndpoint } from './endpoint.mjs'
import { ALL, KEYLESS, REGISTERING } from './hosts.mjs'
import { maskOf } from './mask.mjs'
import { faultOfNamed } from './metadata.mjs'
import { checkPreflight } from './preflight.mjs'
import { prober } from './probe.mjs'
import { checkRegistration, checkRegistrationEndpoint } from './registration.mjs'
import { Report } from './report.mjs'
import { checkResourceMetadata } from './resource-metadata.mjs'
import { checkServerMetadata } from './server-metadata.mjs'
import { checkTokenEndpoint } from './token-endpoint.mjs'
import { checkTools } from './tools.mjs'
import { checkWellKnowns } from './well-knowns.mjs'

/**
 * Does what hosts do when somebody pastes this URL, without a key.
 * @param io how to `fetch`, to `lookup` a name, and the milliseconds to `wait` for an answer
 */
export async function examine(pasted, { register = false } = {}, io = { fetch }) {
  const url = new URL(pasted)
  const report = new Report(maskOf(url))
  const reach = await reachOf(url.hostname, io.lookup)
  const visit = { url, pasted, report, reach, register, probe: prober(io) }
  checkAddress(visit)
  checkReach(visit)
  const { state, opened } = await checkEndpoint(visit)
  if (state === undefined) return report
  await checkAgents(visit, opened)
  await checkPreflight(visit)
  if (state === 'open') await checkOpen(visit, opened)
  else await checkClosed(visit, opened)
  return report
}

async function checkOpen(visit, opened) {
  const { report } = visit
  report.way = 'open'
  await checkTools(visit, opened)
  const described = await checkWellKnowns(visit)
  // An authorization server at the same origin may be there for other endpoints.
  const path = described.find((it) => it.includes('protected-resource'))
  if (path === undefined) return
  report.note('open-metadata', {
    seen: `The endpoint is open, and ${path} describes a sign-in: some hosts will ask people to sign in.`,
    mend: 'Answer 404 there if no tool needs a sign-in.',
  })
}

async function checkClosed(visit, opened) {
  const challenge = await checkChallenge(visit, opened)
  const issuer = await checkResourceMetadata(visit, challenge)
  const described = await checkWellKnowns(visit)
  if (challenge.found?.resource_metadata === undefined && issuer === undefined) {
    if (!visit.report.findings.some(({ id }) => id === 'resource-metadata'))
      sayNoSignIn(visit, described)
    return
  }
  visit.report.way = 'sign-in'
  await checkChallenges(visit, challenge)
  if (issuer === undefined) return
  const server = await checkServerMetadata(visit, issuer)
  if (server) await checkServer(visit, server)
}

async function checkServer(visit, server) {
  const {
    authorization_endpoint: authorize,
    registration_endpoint: registration,
    token_endpoint: token,
  } = server
  await checkUnknownClient(visit, authorize)
  let client
  if (!faultOfNamed(visit, registration)) {
    const hosts = server.client_id_metadata_document_supported === true ? REGISTERING : ALL
    await checkRegistrationEndpoint(visit, registration, hosts)
    if (visit.register) client = await checkRegistration(visit, registration, hosts)
  }
  if (client !== undefined) await checkAuthorizationPage(visit, authorize, client)
  await checkTokenEndpoint(visit, token, client)
}

function sayNoSignIn({ report, url }, described) {
  report.way = 'key'
  const { origin, pathname } = url
  const server = described.find((it) => it.includes('authorization-server'))
  if (server) {
    const serve =
      'serve /.well-known/oauth-protected-resource for this one, and name it in the 401.'
    return report.problem('sign-in', {
      hosts: KEYLESS,
      seen: `There is an authorization server (${server}), and nothing leads to it from this endpoint.`,
      mend: pathname === '/mcp' ? sentence(serve) : `Try ${origin}/mcp, or ${serve}`,
    })
  }
  report.problem('sign-in', {
    hosts: KEYLESS,
    seen: 'The endpoint asks for a key and has no sign-in: ChatGPT cannot send a key, and Claude only for some accounts.',
    mend: `With Tidegate, set TIDEGATE_PASSPHRASE to turn the sign-in on (docs/sign-in.md), or paste ${origin}/k/KEY${pathname} with the key in it. Other hosts take the key as the header Authorization: Bearer KEY.`,
  })
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1)
