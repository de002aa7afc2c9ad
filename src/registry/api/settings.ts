import * as z from 'zod/mini'
import type { RegistrySettings } from '../entries.ts'
import { allowedProblem } from '../public-hosts.ts'
import { answer } from './fault.ts'
import { assertEndpoints } from './keys.ts'
import { assertWritten, named } from './lists.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'

/** A host that may be private. */
const privateHost = z.string().check(
  z.minLength(1),
  z.maxLength(253),
  z.refine((it) => allowedProblem(it) === undefined, {
    error: 'must be a name, "*.NAME", an address, a block such as "10.1.0.0/16", or "*"',
  }),
)

const fields = {
  /** The endpoint at `/mcp`. Without it, the oldest one. */
  defaultEndpoint: z.optional(z.string().check(z.minLength(1), z.maxLength(31))),
  /** Hosts of databases that may be private. */
  privateHosts: z.optional(z.array(privateHost).check(z.maxLength(200))),
}

/** What holds for the whole deployment. */
export const settingsValue = named('Settings', z.strictObject(fields))

/** Changes of the settings. Null takes one away. */
const settingsPatch = z.strictObject({
  defaultEndpoint: z.optional(z.nullable(fields.defaultEndpoint)),
  privateHosts: z.optional(z.nullable(fields.privateHosts)),
})

const shown = { description: 'The settings.', schema: settingsValue }

/** `/api/settings` */
export const settingsRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/settings',
    summary: 'Shows what holds for the whole deployment.',
    answers: { 200: shown },
    run: async (_, { ask }) => answer((await ask('settings', undefined)) ?? {}),
  }),
  route({
    method: 'patch',
    path: '/api/settings',
    summary: 'Changes some settings by a JSON Merge Patch (RFC 7396).',
    body: settingsPatch,
    answers: { 200: shown },
    says: ({ body }) => `changed the settings: ${fieldsOf(body)}`,
    async run({ body }, surroundings) {
      const { defaultEndpoint } = body
      const { defaultEndpoint: old } = (await surroundings.ask('settings', undefined)) ?? {}
      if (defaultEndpoint && defaultEndpoint !== old) {
        const registry = { ...surroundings, configured: [] }
        await assertEndpoints([defaultEndpoint], [], registry, () => 'defaultEndpoint')
      }
      assertWritten(await surroundings.change('putSettings', body), 'The settings')
      const settings: RegistrySettings = (await surroundings.ask('settings', undefined)) ?? {}
      return answer(settings)
    },
  }),
]
