import { checkAddress, checkReach } from './address.ts'
import { checkAgents } from './agents.ts'
import { checkAuthorizationPage, checkUnknownClient } from './authorization-page.ts'
import { checkChallenge, checkChallenges } from './challenge.ts'
import { checkEndpoint } from './endpoint.ts'
import type { Examination } from './examination.ts'
import { KEYLESS } from './hosts.ts'
import { maskOf } from './mask.ts'
import { checkWellKnowns } from './metadata.ts'
import { checkPreflight } from './preflight.ts'
import { type ProbeAnswer, type ProbeIo, prober } from './probe.ts'
import { type AddressLookup, reachOf } from './reach.ts'
import { checkRegistration, checkRegistrationEndpoint } from './registration.ts'
import { Report } from './report.ts'
import { checkResourceMetadata } from './resource-metadata.ts'
import { checkServerMetadata, type UsableAuthorizationServer } from './server-metadata.ts'
import { checkTokenEndpoint } from './token-endpoint.ts'
import { checkTools } from './tools.ts'

/** Options for an examination. */
export interface ExamineOptions {
  /** Also registers clients, which remain there, and opens the sign-in page. */
  readonly register?: boolean
}

/** Functions that send requests and look up names. */
export interface ExamineIo extends ProbeIo {
  readonly lookup: AddressLookup
}

/** Does what hosts do when a person pastes this URL, without a key, in the order in which they would meet problems. */
export async function examine(
  pasted: string,
  { register = false }: ExamineOptions,
  io: ExamineIo,
): Promise<Report> {
  const url = new URL(pasted)
  const report = new Report(maskOf(url))
  const reach = await reachOf(url.hostname, io.lookup)
  const exam = { url, pasted, report, reach, probe: prober(io) }
  checkAddress(exam)
  checkReach(exam)
  const { state, opened } = await checkEndpoint(exam)
  if (state === undefined) return report
  await checkAgents(exam, opened)
  await checkPreflight(exam)
  if (state === 'open') await checkOpen(exam, opened)
  else await checkClosed(exam, opened, register)
  return report
}

async function checkOpen(exam: Examination, opened: ProbeAnswer) {
  const { report } = exam
  report.way = 'open'
  await checkTools(exam, opened)
  const described = await checkWellKnowns(exam)
  // An authorization server at the same origin can serve other endpoints.
  const path = described.find((it) => it.includes('protected-resource'))
  if (path === undefined) return
  report.note('open-metadata', {
    seen: `The endpoint is open, but ${path} describes a sign-in, so some hosts will ask people to sign in.`,
    fix: 'Return 404 there if no tool needs a sign-in.',
  })
}

async function checkClosed(exam: Examination, opened: ProbeAnswer, register: boolean) {
  const { report } = exam
  const challenge = checkChallenge(exam, opened)
  const issuer = await checkResourceMetadata(exam, challenge)
  const described = await checkWellKnowns(exam)
  if (challenge.bearer?.resource_metadata === undefined && issuer === undefined) {
    if (!report.findings.some(({ id }) => id === 'resource-metadata')) sayNoSignIn(exam, described)
    return
  }
  report.way = 'sign-in'
  await checkChallenges(exam, challenge)
  if (issuer === undefined) return
  const server = await checkServerMetadata(exam, issuer)
  if (server) await checkServer(exam, server, register)
}

async function checkServer(
  exam: Examination,
  { authorize, token, registration, registering }: UsableAuthorizationServer,
  register: boolean,
) {
  await checkUnknownClient(exam, authorize)
  let client: string | undefined
  if (registration) {
    await checkRegistrationEndpoint(exam, registration, registering)
    if (register) client = await checkRegistration(exam, registration, registering)
  }
  if (client !== undefined) await checkAuthorizationPage(exam, authorize, client)
  await checkTokenEndpoint(exam, token, client)
}

function sayNoSignIn({ report, url }: Examination, described: readonly string[]) {
  report.way = 'key'
  const { origin, pathname } = url
  const server = described.find((it) => it.includes('authorization-server'))
  if (server) {
    return report.problem('sign-in', {
      hosts: KEYLESS,
      seen: `There is an authorization server (${server}), but nothing at this endpoint leads to it.`,
      fix: `Serve /.well-known/oauth-protected-resource for this endpoint, and name it in the 401.${pathname === '/mcp' ? '' : ` Or try ${origin}/mcp.`}`,
    })
  }
  report.problem('sign-in', {
    hosts: KEYLESS,
    seen: 'The endpoint requires a key and has no sign-in. ChatGPT cannot send a key, and Claude can only for some accounts.',
    fix: `With Tidegate, set TIDEGATE_PASSPHRASE to turn the sign-in on (docs/sign-in.md), or paste ${origin}/k/KEY${pathname} with the key in it. Other hosts accept the key in the header Authorization: Bearer KEY.`,
  })
}
