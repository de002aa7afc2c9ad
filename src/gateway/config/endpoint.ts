import type * as z from 'zod/mini'
import type { Because, VisibleTables } from '../../database/index.ts'
import { configFaults } from './config-fault.ts'
import { defaults, type endpointSchema, endpoints, secretIn } from './endpoint-schema.ts'
import { jsonFault } from './json-fault.ts'

type EndpointConfig = z.infer<ReturnType<typeof endpointSchema>>
type ConfiguredDatabase = EndpointConfig['databases'][string]

/** An endpoint that is ready to be served: its configuration, plus fields that only a group's rules set. */
export interface Endpoint extends Omit<EndpointConfig, 'databases'> {
  databases: Record<string, ConfiguredDatabase & RestrictedDatabase>
}

/** The fields that a group's rules add to a database. */
interface RestrictedDatabase {
  /** The tables and columns that the group can see. */
  readonly only?: VisibleTables | undefined
  /** True if the group has no tool that lists tables. */
  readonly hidesTables?: boolean | undefined
}

/** The limits on one answer of an endpoint. */
export type Caps = Endpoint['caps']
/** The limits on the use of an endpoint, for each caller and for all callers together. */
export type ConfiguredLimits = NonNullable<Endpoint['limits']>

/** The configuration of a deployment: the Worker's variables and secrets. */
export interface Settings {
  /** A JSON list of endpoints. The first is also served at `/mcp`. */
  readonly ENDPOINTS?: string
  /** The only database in a deployment without ENDPOINTS. */
  readonly DATABASE_URL?: string
}

/** An error in the configuration. The message tells the operator what to do, and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly reason: Because['reason']
  /** The name of the secret that causes the error, if any. */
  readonly subject: string | undefined

  constructor(message: string, { reason, subject }: Because = {}) {
    super(message)
    this.reason = reason
    this.subject = subject
  }
}

const demo: Endpoint = {
  ...defaults,
  name: 'demo',
  title: 'Demo store',
  databases: { demo: { url: 'demo:', purpose: 'a small made-up web shop, all times in UTC' } },
  access: 'public',
}

const own: Endpoint = {
  ...defaults,
  name: 'main',
  title: 'Database',
  databases: { main: { url: 'secret:DATABASE_URL' } },
}

/** The endpoints of a deployment, in order: those configured, or else the one database, or else the demo. */
export function readEndpoints({ ENDPOINTS, DATABASE_URL }: Settings): Endpoint[] {
  if (!ENDPOINTS) return [DATABASE_URL ? own : demo]
  let value: unknown
  try {
    value = JSON.parse(ENDPOINTS)
  } catch {
    throw new ConfigError(`ENDPOINTS is not JSON. ${jsonFault(ENDPOINTS)}`)
  }
  const parsed = endpoints().safeParse(value)
  if (parsed.success) return parsed.data
  throw new ConfigError(`ENDPOINTS is not valid.\n${configFaults(parsed.error, value)}`)
}

/** True if an endpoint shows nothing but the demo store. */
export const isDemo = ({ databases }: Endpoint): boolean =>
  Object.values(databases).every(({ url }) => url === 'demo:')

/** The URL of a database, read from its secret if it refers to one. */
export function resolveUrl(url: string, secrets: Readonly<Record<string, unknown>>): string {
  const secret = secretIn(url)
  if (secret === undefined) return url
  const value = secrets[secret]
  if (typeof value === 'string' && value) return value
  throw new ConfigError(
    `The secret ${secret} is not set. In a Worker: npx wrangler secret put ${secret}. On Node: the environment. For npm start: a line ${secret}=… in .dev.vars.`,
    { reason: 'secret_missing', subject: secret },
  )
}
