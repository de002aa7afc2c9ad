// The API's defaults for fields that an entry leaves out.
import { isObject } from '../../ground/index.ts'
import type { ApiRequest } from './api.ts'

/** The parts of a JSON Schema that matter for defaults. */
interface EntrySchema {
  readonly $ref?: string
  readonly default?: unknown
  readonly anyOf?: readonly EntrySchema[]
  readonly items?: EntrySchema
  readonly properties?: Readonly<Record<string, EntrySchema>>
  readonly additionalProperties?: EntrySchema | boolean
}

interface OpenApi {
  readonly paths: Readonly<
    Record<
      string,
      { post: { requestBody: { content: { 'application/json': { schema: EntrySchema } } } } }
    >
  >
  readonly components?: { readonly schemas?: Readonly<Record<string, EntrySchema>> }
}

/** Reads an entry's schema from the API's own OpenAPI document. @returns a function that fills in its defaults */
export async function defaultsOf(ask: ApiRequest, path: string): Promise<<It>(value: It) => It> {
  const { paths, components } = await ask<OpenApi>('GET', '/api/openapi.json')
  const schema = paths[path]?.post.requestBody.content['application/json'].schema ?? {}
  return <It>(value: It) => filled(schema, value) as It

  /** A value with defaults for its missing fields. */
  function filled(schema: EntrySchema, value: unknown): unknown {
    const [, name] = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '') ?? []
    if (name) return filled(components?.schemas?.[name] ?? {}, value)
    if (value === undefined) return schema.default
    const choices = [schema, ...(schema.anyOf ?? [])]
    if (Array.isArray(value)) {
      const items = choices.find((it) => it.items)?.items ?? {}
      return value.map((it) => filled(items, it))
    }
    if (!isObject(value)) return value
    const { properties = {}, additionalProperties } =
      choices.find((it) => it.properties || it.additionalProperties) ?? {}
    const others = typeof additionalProperties === 'object' ? additionalProperties : {}
    const names = new Set([...Object.keys(value), ...Object.keys(properties)])
    const entries = [...names].map((name) => [
      name,
      filled(properties[name] ?? others, value[name]),
    ])
    return Object.fromEntries(entries.filter(([, it]) => it !== undefined))
  }
}
