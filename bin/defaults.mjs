// What the API takes for the fields that an entry leaves out.

/** Reads the schema of an entry from the API's own document. */
export async function schemaOf(ask, path) {
  const document = await ask('GET', '/api/openapi.json')
  const { schema } = document.paths[path].post.requestBody.content['application/json']
  return { schema, document }
}

/** A value with the defaults of the fields that it leaves out. */
export function filled({ schema, document }, value) {
  const within = (schema, it) => filled({ schema, document }, it)
  if (schema.$ref) return within(referred(document, schema.$ref), value)
  if (value === undefined) return schema.default
  if (typeof value !== 'object' || value === null) return value
  const choices = [schema, ...(schema.anyOf ?? [])]
  if (Array.isArray(value)) {
    const items = choices.find((it) => it.items)?.items ?? {}
    return value.map((it) => within(items, it))
  }
  const { properties = {}, additionalProperties } =
    choices.find((it) => it.properties || it.additionalProperties) ?? {}
  const names = new Set([...Object.keys(value), ...Object.keys(properties)])
  const entries = [...names].map((name) => [
    name,
    within(properties[name] ?? (additionalProperties || {}), value[name]),
  ])
  return Object.fromEntries(entries.filter(([, it]) => it !== undefined))
}

/** What `#/components/schemas/NAME` refers to. */
function referred(document, ref) {
  let found = document
  for (const name of ref.split('/').slice(1)) found = found[name]
  return found
}
