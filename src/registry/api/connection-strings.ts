import * as z from 'zod/mini'
import { connectionStrings, hosts, platformOf, type Recognised } from '../../database/index.ts'
import type { Mend } from '../mend/mend.ts'
import { resolve } from '../open-credential.ts'
import { assertPublicHosts, PrivateHostError } from '../public-hosts.ts'
import { privateHostsOf } from './endpoint-body.ts'
import { answer } from './fault.ts'
import { named } from './lists.ts'
import { mendSchema } from './mend-schema.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

const recognised = named(
  'Recognised',
  z.object({
    ok: z.literal(true),
    /** The URL for an endpoint. It may hold a password: no other answer has it. */
    url: z.string(),
    engine: z.string(),
    /** Who runs the server, where its host tells. */
    service: z.optional(z.string()),
    host: z.optional(z.string()),
    port: z.optional(z.int()),
    database: z.optional(z.string()),
    user: z.optional(z.string()),
    /** How many characters the password or the token has. */
    secretLength: z.optional(z.int()),
    /** `offered`: encrypted if the server does. `within`: by a binding. */
    encryption: z.enum(['required', 'offered', 'none', 'within']),
    /** What was changed to read it. */
    changes: z.array(z.string()),
    /** What to know about it. */
    hints: z.array(z.string()),
    /** Names for an endpoint with it. */
    suggested: z.object({ name: z.string(), title: z.string() }),
    /** What to do if its host may not be reached. */
    mend: z.optional(mendSchema),
  }),
)

const unrecognised = named(
  'Unrecognised',
  z.object({
    ok: z.literal(false),
    /** What is wrong and what to change. It repeats no password. */
    sentence: z.string(),
    part: z.optional(
      z.enum(['engine', 'host', 'port', 'user', 'password', 'database', 'parameter']),
    ),
    engine: z.optional(z.string()),
  }),
)

/** `/api/connection-strings` */
export const connectionStringRoutes = (): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/connection-strings/recognise',
    summary:
      'Reads any text that people paste for a connection string: a URL with mistakes, a form of Java, .NET or Go, a command, a file with settings. Nothing is stored, and no database is asked.',
    body: z.strictObject({ text: z.string() }),
    answers: {
      200: {
        description: 'The URL for an endpoint, or what is wrong.',
        schema: z.union([recognised, unrecognised]),
      },
    },
    async run({ body: { text } }, surroundings) {
      const { recognise } = await connectionStrings()
      const found = await recognise(text, surroundings.machine)
      if (!('url' in found)) return answer({ ok: false, ...found })
      return answer({ ok: true, ...found, mend: await hostMend(found, surroundings) })
    },
  }),
]

/** What to do about a host that this deployment may not reach. */
async function hostMend(found: Recognised, surroundings: Surroundings): Promise<Mend | undefined> {
  const allowed = await privateHostsOf(surroundings)
  try {
    await assertPublicHosts(found.url, { allowed, resolve })
    return undefined
  } catch (error) {
    if (!(error instanceof PrivateHostError)) throw error
    const { mendOf } = await import('../mend/mend-of.ts')
    const { protocol } = (await hosts()).databaseUrl(found.url)
    const { host, port, user, database, suggested } = found
    const kind = error.why === 'unresolved' ? 'unresolved_host' : 'private_host'
    const scheme = protocol.slice(0, -1)
    const platform = platformOf(surroundings.machine)
    const about = {
      platform,
      scheme,
      host,
      port,
      endpoint: suggested.name,
      login: { user, database },
    }
    return mendOf({ kind, message: error.message }, about)
  }
}
