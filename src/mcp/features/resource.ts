import { codes, invalidParams, RpcError, type RpcParams } from '../wire/jsonrpc.ts'
import { forRevision, type Revision } from '../wire/revisions.ts'
import { type Complete, completionOf } from './completion.ts'
import type { Annotations, Icon, ResourceContents } from './content.ts'
import type { Context } from './context.ts'
import { InputRequired } from './input.ts'

/**
 * Content that a client can read by its address. `{name}` in the uri makes it a template (RFC
 * 6570, level 1: a variable holds percent-encoded text without `/`).
 */
export interface Resource extends ListedResource {
  /** Milliseconds a client can cache the contents, in revisions that have caching. */
  readonly ttlMs?: number
  /** Suggests values for a template's variables. */
  readonly complete?: Readonly<Record<string, Complete>>
  /** A template's resources, page by page, for `resources/list`. */
  list?(offset: number, context: Context): Page<ListedResource> | Promise<Page<ListedResource>>
  /** Returns the text or the contents, or undefined if nothing is at this address. */
  read(
    variables: Readonly<Record<string, string>>,
    context: Context,
    uri: string,
  ): ResourceReading | Promise<ResourceReading>
}

/** A resource or a template as a list shows it. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string | undefined
  readonly mimeType?: string
  readonly icons?: readonly Icon[]
  readonly annotations?: Annotations
  /** Size in bytes, if known. */
  readonly size?: number
}

/** Some items of a list, and the offset of the next ones if there are more. */
export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next?: number | undefined
}

type ResourceReading = string | readonly ResourceContents[] | InputRequired | undefined

export const isTemplate = ({ uri }: ListedResource): boolean => uri.includes('{')

/** A resource as `resources/list` or `resources/templates/list` shows it in one revision. */
export function describeResource(it: ListedResource, revision: Revision): object {
  const { uri, name, title, description, mimeType, icons, annotations, size } = it
  const address = isTemplate(it) ? { uriTemplate: uri } : { uri, size }
  return forRevision(
    { ...address, name, title, description, mimeType, icons, annotations },
    revision,
  )
}

/** Reads the resource at the address that `params` names. */
export async function readResource(
  resources: readonly Resource[],
  params: RpcParams,
  context: Context,
): Promise<RpcParams | InputRequired> {
  const { uri } = params
  if (typeof uri !== 'string') throw invalidParams('Name the resource in params.uri.')
  for (const resource of resources) {
    const variables = match(resource.uri, uri)
    if (!variables) continue
    const reading = await resource.read(variables, context, uri)
    if (reading instanceof InputRequired) return reading
    if (reading === undefined) break
    const { mimeType = 'text/plain', ttlMs } = resource
    return {
      contents: typeof reading === 'string' ? [{ uri, mimeType, text: reading }] : reading,
      ...(context.revision.era === 'modern' && ttlMs !== undefined && { ttlMs }),
    }
  }
  throw noResource(context, uri)
}

/** Error for an address without a resource. The hint suggests what the client may have meant. */
export function noResource({ revision }: Context, uri: string, hint = ''): RpcError {
  const code = revision.era === 'modern' ? codes.invalidParams : codes.resourceNotFound
  return new RpcError(code, `There is no resource at this address. ${hint}`.trim(), { uri })
}

/** Completes a variable of the template `uri`. */
export function completeTemplate(
  resources: readonly Resource[],
  uri: unknown,
  { name, value }: { name: string; value: string },
  others: Readonly<Record<string, string>>,
  context: Context,
): Promise<{ completion: object }> {
  const template = resources.find((it) => it.uri === uri)
  if (!template)
    throw invalidParams(
      'There is no such resource template: call resources/templates/list for the templates.',
    )
  const { complete = {} } = template
  const own = Object.hasOwn(complete, name) ? complete[name] : undefined
  return completionOf(own, value, others, context)
}

/** Reads a template's variables from an address. Undefined if the address does not match. */
function match(template: string, uri: string): Record<string, string> | undefined {
  if (!template.includes('{')) return template === uri ? {} : undefined
  const [start = '', ...parts] = template.split('{')
  if (!uri.startsWith(start)) return undefined
  const variables: [name: string, value: string][] = []
  let at = start.length
  for (const [i, part] of parts.entries()) {
    const [name = '', behind = ''] = part.split('}')
    const ends = i === parts.length - 1
    // A variable is as short as possible. The text after the last one ends the address.
    const end = ends ? uri.length - behind.length : uri.indexOf(behind, at + 1)
    const value = uri.slice(at, end)
    if (end <= at || value.includes('/') || !uri.startsWith(behind, end)) return undefined
    variables.push([name, value])
    at = end + behind.length
  }
  try {
    return Object.fromEntries(variables.map(([name, it]) => [name, decodeURIComponent(it)]))
  } catch {
    return undefined
  }
}
