import * as z from 'zod/mini'
import { type Fix, hosts, platformOf } from '../../database/index.ts'
import type { Diagnosis } from '../../gateway/index.ts'
import type { FixProblem, ProblemSubject } from '../fix/problem.ts'
import { assertPublicHosts, isPublicName, PrivateHostError } from '../hosts/public-hosts.ts'
import type { Credential } from '../state/entries.ts'
import { boundOf, keysOf, resolve } from '../state/open-credential.ts'
import { named } from './lists.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

const step = z.object({
  /** A message that says what to do. */
  message: z.string(),
  /** The command to run or the text to enter. */
  command: z.optional(z.string()),
  /** The words in the command for a person to replace. */
  replace: z.optional(z.array(z.string())),
})

/** The fix for a fault. */
export const fixSchema = named(
  'Fix',
  z.object({
    /** The kind of fault, for programs. */
    kind: z.string(),
    /** The fault and its cause. */
    sentence: z.string(),
    /** The steps, in order. */
    steps: z.array(step),
    /** Alternative steps with the same result. */
    others: z.optional(z.array(step)),
  }),
)

/** Time limit for resolving a host's addresses. */
const RESOLVE_MS = 3_000

/** The fix for a database that could not be used. Undefined if it could. */
export async function fixOfDiagnosis(
  { endpoint, database, problem, failure, behind }: Diagnosis,
  { entry, privateHosts }: CandidateEndpoint,
  surroundings: ApiContext,
): Promise<Fix | undefined> {
  if (problem === undefined || !failure) return undefined
  const { url = '' } = entry.value.databases[database] ?? {}
  const [scheme = '', binding] = url.split(':')
  const credential = scheme === 'credential' ? entry.credentials?.[binding ?? ''] : undefined
  const about: ProblemSubject = {
    platform: platformOf(surroundings.machine),
    endpoint,
    database,
    ...(credential ? await placeOf(credential, surroundings) : (behind ?? { scheme, binding })),
  }
  const known =
    about.host &&
    (await hostProblem(`${about.scheme}://${about.host}`, privateHosts).catch(() => undefined))
  const { fixOf } = await import('../fix/fix-of.ts')
  if (known) return fixOf(known, about)
  const addresses = failure.kind === 'network' ? await addressesOf(about) : undefined
  // An allowed name has not been resolved before.
  const kind = addresses?.length === 0 ? 'unresolved_host' : failure.kind
  return fixOf({ ...failure, kind, message: problem }, { ...about, addresses })
}

/** A credential's server. Only the URL has the port, which is left out if there are several hosts. */
async function placeOf(
  { sealed, ...credential }: Credential,
  { secrets }: ApiContext,
): Promise<Pick<ProblemSubject, 'scheme' | 'host' | 'port'>> {
  const { scheme, host } = credential
  try {
    const url = await keysOf(secrets).open(sealed, boundOf(credential))
    const { databaseUrl, hostsOf } = await hosts()
    const all = url === undefined ? [] : hostsOf(databaseUrl(url))
    return { scheme, host, port: all.length === 1 ? all[0]!.port : undefined }
  } catch {
    return { scheme, host }
  }
}

/** Reason the host in a URL is not allowed. */
export async function hostProblem(
  url: string,
  allowed: readonly string[],
): Promise<FixProblem | undefined> {
  try {
    await assertPublicHosts(url, { allowed, resolve })
    return undefined
  } catch (error) {
    if (!(error instanceof PrivateHostError)) throw error
    const kind = error.why === 'unresolved' ? 'unresolved_host' : 'private_host'
    return { kind, message: error.message }
  }
}

async function addressesOf({ host }: ProblemSubject): Promise<readonly string[] | undefined> {
  if (!host || !isPublicName(host)) return undefined
  return resolve(host, AbortSignal.timeout(RESOLVE_MS)).catch(() => undefined)
}
