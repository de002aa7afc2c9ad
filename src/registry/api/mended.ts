import { certificates, hosts, platformOf } from '../../database/index.ts'
import type { Diagnosis } from '../../gateway/index.ts'
import type { Credential } from '../entries.ts'
import type { Mend } from '../mend/mend.ts'
import type { About, Problem } from '../mend/problem.ts'
import { boundOf, keysOf, resolve } from '../open-credential.ts'
import { assertPublicHosts, isPublicName, PrivateHostError } from '../public-hosts.ts'
import type { Candidate, Surroundings } from './surroundings.ts'

/** How long to wait for the addresses of a host. */
const RESOLVE_MS = 3_000

/** What mends a database that could not be used. Nothing for one that could. */
export async function mendOfDiagnosis(
  { endpoint, database, problem, failure, certificate }: Diagnosis,
  { entry, privateHosts }: Candidate,
  surroundings: Pick<Surroundings, 'machine' | 'secrets'>,
): Promise<Mend | undefined> {
  if (problem === undefined || !failure) return undefined
  const { url = '' } = entry.value.databases[database] ?? {}
  const [scheme = '', binding] = url.split(':')
  const credential = scheme === 'credential' ? entry.credentials?.[binding ?? ''] : undefined
  const platform = platformOf(surroundings.machine)
  const about: About = {
    platform,
    endpoint,
    database,
    ...(credential
      ? await placeOf(credential, surroundings)
      : {
          scheme:
            scheme === 'secret' && (certificate || failure.kind !== 'config')
              ? (certificate?.protocol ?? 'postgres')
              : scheme,
          binding,
        }),
  }
  const known = await hostProblem(about, privateHosts)
  const { mendOf } = await import('../mend/mend-of.ts')
  if (known) return mendOf(known, about)
  const addresses = failure.kind === 'network' ? await addressesOf(about) : undefined
  const seen = certificate && {
    ...certificate,
    sentence: (await certificates()).certificateSentence(certificate, about.host, platform),
  }
  // A name that is allowed was not looked up before.
  const kind = addresses?.length === 0 ? 'unresolved_host' : failure.kind
  return mendOf({ ...failure, kind, message: problem }, { ...about, addresses, certificate: seen })
}

/** Where a credential leads. Only its URL has the port, which is left out where there are several hosts. */
async function placeOf(
  { sealed, ...credential }: Credential,
  { secrets }: Pick<Surroundings, 'secrets'>,
): Promise<Pick<About, 'scheme' | 'host' | 'port'>> {
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

/** Why a host may not be reached. */
async function hostProblem(
  { scheme, host }: About,
  allowed: readonly string[],
): Promise<Problem | undefined> {
  if (!host) return undefined
  try {
    await assertPublicHosts(`${scheme}://${host}`, { allowed, resolve })
    return undefined
  } catch (error) {
    if (!(error instanceof PrivateHostError)) return undefined
    const kind = error.why === 'unresolved' ? 'unresolved_host' : 'private_host'
    return { kind, message: error.message }
  }
}

async function addressesOf({ host }: About): Promise<readonly string[] | undefined> {
  if (!host || !isPublicName(host)) return undefined
  return resolve(host, AbortSignal.timeout(RESOLVE_MS)).catch(() => undefined)
}
