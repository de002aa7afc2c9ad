import { DatabaseError, type Io, type Located, locate } from '../database/index.ts'
import { ConfigError, type Endpoint, resolveUrl } from './endpoint.ts'

/** A database of an endpoint, and why it cannot be opened, where that is known without trying. */
export interface EndpointDatabase extends Located {
  readonly problem?: string | undefined
}

/** Finds a database of an endpoint, without going there. Throws {@link ConfigError}. */
export function located(url: string, io: Io): Located {
  try {
    return locate(resolveUrl(url, io.bindings), io)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}

/**
 * The databases of an endpoint. One that cannot be opened says why to whoever asks it, and the others
 * go on. Throws {@link ConfigError} if none can.
 */
export function locateAll({ databases }: Endpoint, io: Io): Map<string, EndpointDatabase> {
  const all = new Map(
    Object.entries(databases).map(([name, { url }]) => [name, locatedOrNot(url, io)]),
  )
  const problems = [...all.values()].map(({ problem }) => problem)
  if (problems[0] !== undefined && !problems.includes(undefined)) {
    throw new ConfigError(problems[0])
  }
  return all
}

function locatedOrNot(url: string, io: Io): EndpointDatabase {
  try {
    const it = located(url, io)
    return { ...it, open: () => it.open().catch(refuse) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const problem = error.message
    return {
      title: 'not available',
      problem,
      open: async () => refuse(new DatabaseError('config', problem)),
    }
  }
}

/** Says whose fault it is that a database cannot be opened, to a caller who cannot mend it. */
function refuse(error: unknown): never {
  if (!(error instanceof DatabaseError)) throw error
  const whose = 'This database cannot be opened, which is for its operator to mend.'
  throw new DatabaseError('config', `${whose} ${error.message}`)
}
