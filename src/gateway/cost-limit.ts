import { ConfigError, type Endpoint } from './endpoint.ts'
import type { EndpointDatabase } from './open-database.ts'

/**
 * Makes sure that the limit of an endpoint on the cost of a query can be held: a database that estimates
 * something else would run nothing, and where none estimates anything, it would limit nothing. Throws
 * {@link ConfigError}.
 */
export function assertEstimates(
  { name, caps: { cost } }: Endpoint,
  databases: ReadonlyMap<string, EndpointDatabase>,
): void {
  if (!cost) return
  const opened = [...databases].filter(([, { problem }]) => problem === undefined)
  for (const [database, { title, estimates = [] }] of opened) {
    if (estimates.length === 0 || estimates.some((it) => cost[it] !== undefined)) continue
    throw new ConfigError(
      `Endpoint ${name} limits only caps.cost.plan, and ${title} estimates no cost for its database ${database}, only rows. Set caps.cost.rows as well.`,
    )
  }
  if (opened.length > 0 && opened.every(([, { estimates }]) => !estimates?.length)) {
    throw new ConfigError(`Endpoint ${name} sets caps.cost. ${withoutEstimates(opened[0]![1])}`)
  }
}

/** What an operator is told of a database for which the limit does not hold. */
export const withoutEstimates = ({ title }: Pick<EndpointDatabase, 'title'>): string =>
  `${title} estimates nothing before it runs a query, so caps.cost does not hold for it. What bounds a query there is caps.timeoutMs.`
