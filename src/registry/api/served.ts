import * as z from 'zod/mini'
import type { Endpoint } from '../../gateway/index.ts'
import type { EndpointEntry } from '../state/entries.ts'
import { ApiFault } from './fault.ts'
import { upTo } from './lists.ts'
import type { ApiContext, CandidateEndpoint } from './surroundings.ts'

/** The name of an endpoint or a group in a path. */
export const nameParam = z.object({ name: upTo(31) })

export const called = (name: string) => `The endpoint ${name}`

/** True if an endpoint in the configuration has this name and so hides the one in the registry. */
export const isHidden = (name: string, { configured, isOnlyDemo }: ApiContext): boolean =>
  !isOnlyDemo && configured.some((it) => it.name === name)

/** The endpoint that is served under this name, from the configuration or the registry. */
export async function served(
  name: string,
  surroundings: ApiContext,
): Promise<{ readonly value: Endpoint; readonly stored?: EndpointEntry } | undefined> {
  const configured = surroundings.configured.find((it) => it.name === name)
  const stored = isHidden(name, surroundings)
    ? undefined
    : await surroundings.ask('endpoint', { name })
  if (stored) return { value: stored.value, stored }
  return configured && { value: configured }
}

/** The same. Throws {@link ApiFault} if there is none. */
export const found = async (name: string, surroundings: ApiContext) =>
  existing(name, await served(name, surroundings))

/** The endpoint to try. Undefined if there is none. */
export async function candidateOf(
  name: string,
  surroundings: ApiContext,
): Promise<CandidateEndpoint | undefined> {
  const it = await served(name, surroundings)
  const privateHosts = await privateHostsOf(surroundings)
  return it && { entry: it.stored ?? { value: it.value }, privateHosts }
}

/** The same. Throws {@link ApiFault} if there is none. */
export const foundCandidate = async (name: string, surroundings: ApiContext) =>
  existing(name, await candidateOf(name, surroundings))

function existing<T>(name: string, endpoint: T | undefined): T {
  if (endpoint) return endpoint
  throw new ApiFault(404, `${called(name)} does not exist.`)
}

/** The hosts that are allowed to be private, from the configuration and the settings. */
export async function privateHostsOf({ ask, privateHosts }: ApiContext) {
  const settings = await ask('settings', undefined)
  return [...privateHosts, ...(settings.privateHosts ?? [])]
}
