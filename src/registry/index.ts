import type { CredentialSecrets } from './credential-keys.ts'
import type { Credential } from './entries.ts'

export { platformOf } from '../database/index.ts'
export type { Candidate, Surroundings } from './api/surroundings.ts'
export { inTime } from './background.ts'
export {
  type CredentialKeys,
  credentialKeys,
  type SealedCredential,
  secretProblem,
} from './credential-keys.ts'
export { directory, RegistryUnavailable, TooManyMisses } from './directory.ts'
export type { Credential, EndpointEntry, Found, GroupEntry, KeyEntry } from './entries.ts'
export { hashOf, randomText, readKey, type ShownKey } from './key.ts'
export { networkOf } from './limits/caller-key.ts'
export { Misses } from './misses.ts'
export { isPublicAddress, isPublicName } from './public-hosts.ts'
export { Recent } from './recent.ts'
export { Registry, registryIn, replicaIn } from './registry.ts'
export type { AskRegistry } from './registry-state.ts'
export type { AskSignIns, GrantEntry, SignInOrders } from './sign-ins.ts'

/** Decrypts the URL of a database, and checks that it leads to no private host. */
export const openCredential = async (
  credential: Credential,
  secrets: CredentialSecrets,
  privateHosts: readonly string[],
): Promise<string> =>
  (await import('./open-credential.ts')).openCredential(credential, secrets, privateHosts)

/** Loads the API by which the operator changes the registry. */
export const adminApi = () => import('./api/index.ts')

export { type CallsEnv, callsOf, type DeploymentCalls } from './calls.ts'
export { Meter } from './limits/object.ts'
export { rateLimit } from './limits/rate.ts'
export { CallRecords } from './records/object.ts'
