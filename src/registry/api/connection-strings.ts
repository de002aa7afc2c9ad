import * as z from 'zod/mini'
import {
  type ConnectionString,
  connectionStrings,
  type Fix,
  hosts,
  platformOf,
} from '../../database/index.ts'
import { answer } from './fault.ts'
import { fixSchema, hostProblem } from './fix.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import { privateHostsOf } from './served.ts'
import type { ApiContext } from './surroundings.ts'

export const recognised = named(
  'Recognised',
  z.object({
    ok: z.literal(true),
    /** The URL for an endpoint. It can contain a password, and no other response includes it. */
    url: z.string(),
    engine: z.string(),
    /** The service that runs the server, if its host reveals it. */
    service: z.optional(z.string()),
    host: z.optional(z.string()),
    port: z.optional(z.int()),
    database: z.optional(z.string()),
    user: z.optional(z.string()),
    /** Length of the password or token in characters. */
    secretLength: z.optional(z.int()),
    /** `offered` means encrypted if the server supports it. `within` means through a binding. */
    encryption: z.enum(['required', 'offered', 'none', 'within']),
    /** Corrections made to the string in order to read it. */
    changes: z.array(z.string()),
    /** Useful facts about the connection string. */
    hints: z.array(z.string()),
    /** Suggested name and title for an endpoint that uses it. */
    suggested: z.object({ name: z.string(), title: z.string() }),
    /** Steps to take if its host is not allowed. */
    fix: z.optional(fixSchema),
  }),
)

export const unrecognised = named(
  'Unrecognised',
  z.object({
    ok: z.literal(false),
    /** The problem and how to correct it. Never repeats a password. */
    sentence: z.string(),
    part: z.optional(
      z.enum(['engine', 'host', 'port', 'user', 'password', 'database', 'parameter']),
    ),
    engine: z.optional(z.string()),
  }),
)

/** `/api/connection-strings` */
export const connectionStringRoutes = (): readonly Route[] => [
  route('post', '/api/connection-strings/recognise', {
    summary:
      'Reads any text that people paste as a connection string: a URL with mistakes, a Java, .NET or libpq form, a command, or lines from a settings file. Nothing is stored, and no database is contacted.',
    body: z.strictObject({ text: z.string() }),
    answers: [
      200,
      'The URL for an endpoint, or what is wrong.',
      z.union([recognised, unrecognised]),
    ],
    async run({ body: { text } }, surroundings) {
      const { recognise } = await connectionStrings()
      const found = await recognise(text, surroundings.machine)
      if (!('url' in found)) return answer({ ok: false, ...found })
      return answer({ ok: true, ...found, fix: await hostFix(found, surroundings) })
    },
  }),
]

/** Steps for a host that this deployment is not allowed to reach. */
async function hostFix(
  found: ConnectionString,
  surroundings: ApiContext,
): Promise<Fix | undefined> {
  const problem = await hostProblem(found.url, await privateHostsOf(surroundings))
  if (!problem) return undefined
  const { fixOf } = await import('../fix/fix-of.ts')
  const { protocol } = (await hosts()).databaseUrl(found.url)
  const { host, port, user, database, suggested } = found
  return fixOf(problem, {
    platform: platformOf(surroundings.machine),
    scheme: protocol.slice(0, -1),
    host,
    port,
    endpoint: suggested.name,
    login: { user, database },
  })
}
