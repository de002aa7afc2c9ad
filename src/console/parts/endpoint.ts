import { ask, type Visit } from '../visit.ts'

/** Thrown by a section for what is not there: the page of a wrong path is shown. */
export class NotThere extends Error {
  override readonly name = 'NotThere'
}

/** An endpoint as the API shows it: what it is configured with, and where it comes from. */
export interface ShownEndpoint {
  readonly name: string
  readonly title: string
  /** Whether it is of the configuration, which the Console does not change, or of the registry. */
  readonly from: 'configuration' | 'registry'
  readonly active: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the fields are those of docs/endpoints.md.
  readonly [field: string]: any
}

/** The endpoint of this name. Throws {@link NotThere}. */
export async function endpointOf(visit: Visit, name = ''): Promise<ShownEndpoint> {
  const { status, body } = await ask(visit, 'GET', `/endpoints/${encodeURIComponent(name)}`)
  if (status === 200) return body
  if (status === 404) throw new NotThere(`There is no endpoint ${name}.`)
  throw new Error(`The API answered ${status}.`)
}
