import { DatabaseError, type Io, type Located, locate } from '../database/index.ts'
import { ConfigError, type Endpoint, resolveUrl } from './endpoint.ts'

/** A database of an endpoint. `problem` says why it cannot be opened, if that is already known. */
export interface EndpointDatabase extends Located {
  readonly problem?: string | undefined
}

/** Finds a database by its URL, without connecting to it. Throws {@link ConfigError}. */
export function located(url: string, io: Io): Located {
  try {
    return locate(resolveUrl(url, io.bindings), io)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}

/**
 * Finds the databases of an endpoint. One that cannot be opened tells its callers why, and the others
 * still work. Throws {@link ConfigError} if none can be opened.
 */
export function locateAll({ databases }: Endpoint, io: Io): Map<string, EndpointDatabase> {
  const all = new Map(
    Object.entries(databases).map(([name, { url }]) => [name, locatedOrProblem(url, io)]),
  )
  const problems = [...all.values()].map(({ problem }) => problem)
  if (problems[0] !== undefined && !problems.includes(undefined)) {
    throw new ConfigError(problems[0])
  }
  return all
}

function locatedOrProblem(url: string, io: Io): EndpointDatabase {
  try {
    const it = located(url, io)
    const open = () =>
      it.open().catch((error: unknown) => {
        const isConfig = error instanceof DatabaseError && error.kind === 'config'
        throw isConfig ? unavailable(error.message) : error
      })
    return { ...it, open }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problem = error.message
    return { title: 'not available', problem, open: () => Promise.reject(unavailable(problem)) }
  }
}

const unavailable = (problem: string) =>
  new DatabaseError(
    'config',
    `This database cannot be opened. Its operator has to fix this: ${problem}`,
  )
