import * as z from 'zod/mini'
import { createDocument } from 'zod-openapi'
import { LINES } from './lines.ts'
import { named } from './lists.ts'
import type { Route } from './route.ts'

const error = named(
  'Error',
  z.object({
    error: z.object({ code: z.string(), message: z.string(), field: z.optional(z.string()) }),
  }),
)

const operator = {
  type: 'http',
  scheme: 'bearer',
  description: 'The Worker secret TIDEGATE_KEY.',
} as const

/** Builds the OpenAPI document from the schemas that check requests. */
export function documentOf(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const it of routes) {
    paths[it.path] ??= {}
    paths[it.path]![it.method] = operationOf(it)
  }
  return createDocument({
    openapi: '3.1.1',
    info: {
      title: 'Tidegate',
      version,
      description:
        'The endpoints, keys and groups in a deployment. A change takes effect at once in the instance that makes it, and everywhere within 10 seconds.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ operator: [] }],
    paths,
    components: { securitySchemes: { operator } },
  })
}

function operationOf({ method, path, summary, params, query, body, answers }: Route): object {
  const [status, description, schema, lines] = answers
  const json = (schema: z.ZodMiniType) => ({ content: { 'application/json': { schema } } })
  const faults = (status: number | 'default', description: string) =>
    [String(status), { description, ...json(error) }] as const
  return {
    operationId: operationId(method, path),
    summary,
    tags: [path.split('/')[2]],
    requestParams: { ...(params && { path: params }), ...(query && { query }) },
    ...(body && { requestBody: { required: true, ...json(body) } }),
    responses: Object.fromEntries([
      [
        status,
        {
          description,
          ...(schema && {
            content: { ...json(schema).content, ...(lines && { [LINES]: { schema: lines } }) },
          }),
        },
      ],
      faults(401, 'The admin key is missing or wrong.'),
      faults(403, 'This is a caller’s key.'),
      ...(query || body ? [faults(422, 'A field is wrong. The error names it.')] : []),
      faults('default', 'Any other error.'),
    ]),
  }
}

/** `get /api/keys/{id}` is `getKeysById`. */
function operationId(method: string, path: string): string {
  const words = path
    .split('/')
    .slice(2)
    .map((it) => it.replace(/^\{(.*)\}$/, 'by-$1'))
  return [method, ...words]
    .join('-')
    .replaceAll(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase())
}
