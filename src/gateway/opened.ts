import { type Database, DatabaseError, type Io, open } from '../database/index.ts'
import { ConfigError, resolveUrl } from './endpoint.ts'

/** Opens a database of an endpoint, without going there. Throws {@link ConfigError}. */
export function opened(url: string, io: Io): Database {
  try {
    return open(resolveUrl(url, io.bindings), io)
  } catch (error) {
    throw error instanceof DatabaseError ? new ConfigError(error.message) : error
  }
}
