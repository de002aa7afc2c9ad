import type { CredentialSecrets } from './keys/credential-keys.ts'
import type { Credential } from './state/entries.ts'

export type { Answers } from './api/answers.ts'
export { apiCodes } from './api/api-codes.ts'
export type { ApiContext, CandidateEndpoint } from './api/surroundings.ts'
export { directory, RegistryUnavailable, TooManyMisses } from './calls/directory.ts'
export { Misses } from './calls/misses.ts'
export {
  type CredentialKeys,
  type CredentialSecrets,
  credentialKeys,
  keyProblem,
  type SealedCredential,
  secretProblem,
} from './keys/credential-keys.ts'
export { type PresentedKey, READ, readKey } from './keys/key.ts'
export { Registry, registryIn } from './registry.ts'
export type { AskSignIns, GrantEntry, SignInOrders } from './sign-ins.ts'
export type {
  Credential,
  EndpointEntry,
  GroupEntry,
  KeyEntry,
  LookupResult,
} from './state/entries.ts'
export type { AskRegistry } from './state/registry-state.ts'
export { assertKnown, StateFault } from './state/state-version.ts'

/** Decrypts a database's URL, and checks that its host is not private. */
export const openCredential = async (
  credential: Credential,
  secrets: CredentialSecrets,
  privateHosts: readonly string[],
): Promise<string> =>
  (await import('./state/open-credential.ts')).openCredential(credential, secrets, privateHosts)

/** Loads the code that distinguishes public hosts from private ones. */
export const publicHosts = () => import('./hosts/public-hosts.ts')

/** Loads the code that checks whether the registry can be read. */
export const readiness = () => import('./state/readiness.ts')

/** Loads the API that lets the operator change the registry. */
export const adminApi = () => import('./api/index.ts')

export { type CallsEnv, callsOf, type DeploymentCalls } from './calls/calls.ts'
export { Meter } from './limits/object.ts'
export { rateLimit } from './limits/rate.ts'
export { CallRecords } from './records/object.ts'
