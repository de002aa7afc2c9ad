import { type Database, DatabaseError, type Io, open } from '../database/index.ts'
import { ConfigError, type Endpoint, resolveUrl } from './endpoint.ts'

/** Opens a database of an endpoint, without going there. Throws {@link ConfigError}. */
export function opened(url: string, io: Io): Database {
  try {
    return open(resolveUrl(url, io.bindings), io)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}

/**
 * The databases of an endpoint. One that cannot be opened says why to whoever asks it, and the others
 * go on. Throws {@link ConfigError} if none can.
 */
export function openAll({ databases }: Endpoint, io: Io): Map<string, Database> {
  let first: ConfigError | undefined
  const all = Object.entries(databases).map(([name, { url }]) => {
    try {
      return [name, opened(url, io)] as const
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      first ??= error
      return [name, closed(error.message, io)] as const
    }
  })
  if (first && all.every(([, it]) => isClosed(it))) throw first
  return new Map(all)
}

/** The name of the dialect of what cannot be opened: nobody knows which one it would have. */
const NONE = 'none'

export const isClosed = ({ dialect }: Database): boolean => dialect.name === NONE

function closed(problem: string, io: Io): Database {
  return {
    dialect: { ...open('demo:', io).dialect, name: NONE, title: 'not available' },
    async query() {
      const whose = 'This database cannot be opened, which is for its operator to mend.'
      throw new DatabaseError('config', `${whose} ${problem}`)
    },
  }
}
