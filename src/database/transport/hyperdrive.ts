import type { Io } from '../database.ts'
import { DatabaseError } from '../error.ts'

/** What a Hyperdrive binding says of the database behind it. */
export type Behind = Pick<Hyperdrive, 'host' | 'port' | 'user' | 'password' | 'database'>

/** The Hyperdrive binding that a URL names: `hyperdrive:BINDING`. Throws {@link DatabaseError}. */
export function hyperdriveOf({ pathname: name }: URL, io: Pick<Io, 'bindings'>): Behind {
  if (hyperdriveScheme(name, io) === undefined) {
    throw new DatabaseError(
      'config',
      `This deployment has no Hyperdrive binding called ${JSON.stringify(name)}.`,
    )
  }
  return io.bindings[name] as Behind
}

/** What the connection string of a Hyperdrive binding begins with, if there is such a binding: `mysql`. */
export function hyperdriveScheme(name: string, { bindings }: Pick<Io, 'bindings'>) {
  const { connectionString } = Object(bindings[name]) as Partial<Hyperdrive>
  return typeof connectionString === 'string' ? connectionString.split(':', 1)[0] : undefined
}
