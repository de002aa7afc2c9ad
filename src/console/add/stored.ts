import { endpointOf, NotThere, type ShownEndpoint } from '../parts/endpoint.ts'
import type { Visit } from '../visit.ts'

/** The endpoint of this name, if it is one that the Console may change. Throws {@link NotThere}. */
export async function storedOne(visit: Visit, name: string | undefined): Promise<ShownEndpoint> {
  const endpoint = await endpointOf(visit, name)
  if (endpoint.from === 'registry') return endpoint
  throw new NotThere(`${endpoint.name} is of the configuration: it is changed where it is written.`)
}
