import { IssuerUnavailable } from '../auth/index.ts'
import { ConfigError } from '../gateway/index.ts'
import { Refusal } from '../mcp/index.ts'
import { RegistryUnavailable, TooManyMisses } from '../registry/index.ts'

/** Codes for our own refusals, outside the ranges that JSON-RPC and MCP use. docs/errors.md lists them. */
export const faults = {
  inactive: 4030,
  noRight: 4031,
  insufficientScope: 4032,
  notFound: 4040,
  rateLimit: 4290,
  misconfigured: 5030,
  unavailable: 5031,
} as const

/** Turns the error of a misconfigured endpoint into a refusal. */
export const orMisconfigured = (error: unknown): unknown =>
  error instanceof ConfigError ? new Refusal(503, error.message, {}, faults.misconfigured) : error

/** Throws a refusal if the registry could not be reached. */
export function unavailable(error: unknown): never {
  if (error instanceof TooManyMisses)
    throw new Refusal(429, TOO_MANY_MISSES, { 'retry-after': '60' }, faults.rateLimit)
  if (!(error instanceof RegistryUnavailable)) throw error
  const isIssuer = error instanceof IssuerUnavailable
  // An issuer's error is logged once, where the request to it is made.
  if (!isIssuer) console.error(error)
  const why = isIssuer ? error.message : UNAVAILABLE
  throw new Refusal(503, why, { 'retry-after': '5' }, faults.unavailable)
}

/** Message for when the registry is needed and does not respond. */
export const UNAVAILABLE =
  'The registry of this deployment is not responding. Try again in a few seconds.'

const TOO_MANY_MISSES =
  'Too many wrong keys or URLs came from this address. Check them, and try again in a minute.'

/** Message for a path without an endpoint. It repeats nothing from the path, which may contain a key. */
export const NO_ENDPOINT = 'There is no endpoint at this URL.'
