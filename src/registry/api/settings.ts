import * as z from 'zod/mini'
import { allowedProblem } from '../hosts/public-hosts.ts'
import { answer } from './fault.ts'
import { assertEndpoints } from './keys.ts'
import { assertWritten, named, text } from './lists.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'

/** A host that is allowed to be private. */
const privateHost = z.string().check(
  z.minLength(1),
  z.maxLength(253),
  z.refine((it) => allowedProblem(it) === undefined, {
    error: 'must be a name, "*.NAME", an address, a block such as "10.1.0.0/16", or "*"',
  }),
)

const fields = {
  /** The endpoint at `/mcp`. If left out, the oldest endpoint. */
  defaultEndpoint: z.optional(text(31)),
  /** Database hosts that are allowed to be private. */
  privateHosts: z.optional(z.array(privateHost).check(z.maxLength(200))),
}

/** Settings of the whole deployment. */
export const settingsValue = named('Settings', z.strictObject(fields))

/** Changes to the settings. Null removes one. */
const settingsPatch = z.strictObject({
  defaultEndpoint: z.optional(z.nullable(fields.defaultEndpoint)),
  privateHosts: z.optional(z.nullable(fields.privateHosts)),
})

/** `/api/settings` */
export const settingsRoutes = (): readonly Route[] => [
  route('get', '/api/settings', {
    summary: 'Shows the settings for the whole deployment.',
    answers: [200, 'The settings.', settingsValue],
    run: async (_, { ask }) => answer(await ask('settings', undefined)),
  }),
  route('patch', '/api/settings', {
    summary: 'Changes some settings with a JSON Merge Patch (RFC 7396).',
    body: settingsPatch,
    answers: [200, 'The settings.', settingsValue],
    says: ({ body }) => `changed the settings: ${fieldsOf(body)}`,
    async run({ body }, surroundings) {
      const { defaultEndpoint } = body
      const { defaultEndpoint: old } = await surroundings.ask('settings', undefined)
      if (defaultEndpoint && defaultEndpoint !== old) {
        const registry = { ...surroundings, configured: [] }
        await assertEndpoints([defaultEndpoint], [], registry, () => 'defaultEndpoint')
      }
      assertWritten(await surroundings.change('putSettings', body), 'The settings')
      return answer(await surroundings.ask('settings', undefined))
    },
  }),
]
