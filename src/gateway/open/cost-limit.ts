import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import type { EndpointDatabase } from './endpoint-database.ts'

/**
 * Makes sure that an endpoint's limit on query cost can be enforced. A database that estimates in another unit would
 * not run any query, and if no database gives estimates, the limit would have no effect. Throws {@link ConfigError}.
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

/** The message for the operator about a database to which the limit does not apply. */
export const withoutEstimates = ({ title }: Pick<EndpointDatabase, 'title'>): string =>
  `${title} estimates nothing before it runs a query, so caps.cost does not apply to it. There, caps.timeoutMs limits a query.`
