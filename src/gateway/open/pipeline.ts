import {
  catalogKeeper,
  DatabaseError,
  described,
  type KeepCatalog,
  visible,
} from '../../database/index.ts'
import { jsonBytes } from '../answer/answer.ts'
import { ConfigError, type Endpoint } from '../config/endpoint.ts'
import {
  type CredentialIo,
  type DatabasePlace,
  type EndpointDatabase,
  inFront,
  type Layer,
} from './endpoint-database.ts'
import { applyIdentity, identityOf } from './identity.ts'
import { locatedOrProblem } from './open-database.ts'
import { inspectRoleOnce } from './role-warning.ts'

/**
 * The layers in front of each database in an endpoint, the outermost first. A statement goes down the list, and its
 * result goes up. Below the list is `database/open.ts`, with the guard in front of every driver.
 */
export const pipeline: readonly Layer[] = [
  // The call record has each statement as its author wrote it, even if a layer below refuses it.
  recordCalls,
  inspectRoleOnce,
  // Above `restrictTables`, so a table that is hidden from a group is cached like a table that does not exist.
  keepCatalog,
  // Above `restrictTables`, so the operator's descriptions apply only to tables that are left.
  describeTables,
  restrictTables,
  // Below it, because the log has a database's faults and not refusals by a group's rules.
  noteFaults,
  suggestNoTables,
  explainProblems,
  // Last, so nothing above can make a statement run as someone else.
  applyIdentity,
]

/** A database behind all layers. */
export const behindPipeline = (found: EndpointDatabase, place: DatabasePlace): EndpointDatabase =>
  pipeline.reduceRight((it, layer) => layer(it, place), found)

/**
 * Finds the databases in an endpoint. For a database that cannot be opened, callers get the reason, and the others
 * still work. Throws {@link ConfigError} if none can be opened.
 */
export function locateAll(
  { name: endpoint, databases }: Endpoint,
  io: CredentialIo,
): Map<string, EndpointDatabase> {
  const all = new Map(
    Object.entries(databases).map(([name, config]) => [
      name,
      behindPipeline(locatedOrProblem(config.url, io), { endpoint, name, config, io }),
    ]),
  )
  const problems = [...all.values()].map(({ problem }) => problem)
  if (problems[0] !== undefined && !problems.includes(undefined)) {
    throw problems[0]
  }
  return all
}

/** Maximum number of statements recorded for one call. */
const MAX_STATEMENTS = 5

/** Records the statements of a call, except internal ones, and sends the call's trace with all of them. */
function recordCalls(found: EndpointDatabase, { name }: DatabasePlace): EndpointDatabase {
  return inFront(found, (database, { author, call }) => {
    if (!call) return database
    const { dialect } = database
    const trace = { endpoint: call.endpoint.name, traceparent: call.trace.traceparent }
    return {
      ...database,
      async query(statement, limits) {
        if (statement.internal) return database.query(statement, { ...limits, trace })
        if (call.statements.length < MAX_STATEMENTS) {
          call.statements.push({ database: name, dialect, statement, free: author === 'model' })
        }
        const rows = await database.query(statement, { ...limits, trace })
        call.rows += rows.rows.length
        call.bytes += jsonBytes(rows.rows)
        return rows
      },
    }
  })
}

/** Default number of seconds to cache a database's catalog. */
const CATALOG_SECONDS = 60

/** Caches the catalog entry of a table for a short time, for statements that the operator did not write. */
function keepCatalog(found: EndpointDatabase, { config }: DatabasePlace): EndpointDatabase {
  const { catalogSeconds = CATALOG_SECONDS } = config
  if (catalogSeconds === 0) return found
  let keep: KeepCatalog | undefined
  return inFront(found, async (database, { caller, author }) => {
    if (author === 'operator') return database
    keep ??= await catalogKeeper(catalogSeconds)
    return keep(database, identityOf(config, caller))
  })
}

/** Replaces the database's own comments with a person's descriptions. */
function describeTables(found: EndpointDatabase, { config: { glossary = {} } }: DatabasePlace) {
  if (Object.keys(glossary).length === 0) return found
  return inFront(found, (database) => described(database, glossary))
}

/** Leaves out the tables and columns that a group cannot see. The operator's own statements can read them. */
function restrictTables(
  found: EndpointDatabase,
  { config: { only } }: DatabasePlace,
): EndpointDatabase {
  if (!only) return found
  return {
    ...inFront(found, (database, { author }) => visible(database, only, author === 'operator')),
    takesSql: found.tellsTables === true,
  }
}

/** Logs the faults of the database itself. */
function noteFaults(found: EndpointDatabase, { endpoint, name }: DatabasePlace): EndpointDatabase {
  const noted = async (error: unknown): Promise<never> => {
    const { noteFault } = await import('./database-faults.ts')
    noteFault(endpoint, name, error)
    throw error
  }
  return {
    ...found,
    async open(asker) {
      const database = await found.open(asker).catch(noted)
      return {
        ...database,
        query: (statement, limits) => database.query(statement, limits).catch(noted),
      }
    },
  }
}

/** Leaves tables out of hints, for a group that cannot list them. */
function suggestNoTables(found: EndpointDatabase, { config: { hidesTables } }: DatabasePlace) {
  if (!hidesTables) return found
  return inFront(found, (it) => ({ ...it, dialect: { ...it.dialect, hidesTables } }))
}

/** Tells callers the reason that a database cannot be opened. */
function explainProblems(found: EndpointDatabase): EndpointDatabase {
  const explained = (error: unknown): never => {
    const isConfig = error instanceof DatabaseError && error.kind === 'config'
    if (!isConfig && !(error instanceof ConfigError)) throw error
    throw new DatabaseError(
      'config',
      `This database cannot be opened. Its operator has to fix this: ${error.message}`,
    )
  }
  return { ...found, open: (asker) => found.open(asker).catch(explained) }
}
