import type { Io } from '../database.ts'
import { badConfig } from '../error.ts'

/** Reads the login from the Hyperdrive binding in a URL: `hyperdrive:BINDING`. Throws {@link DatabaseError}. */
export function hyperdriveOf({ pathname: name }: URL, io: Pick<Io, 'bindings'>) {
  if (hyperdriveScheme(name, io) === undefined) {
    throw badConfig(`This deployment has no Hyperdrive binding called ${JSON.stringify(name)}.`, {
      reason: 'binding_missing',
    })
  }
  const { host, port, user, password, database } = io.bindings[name] as Hyperdrive
  return { host, port, user, password, database, token: undefined }
}

/** Scheme of a Hyperdrive binding's connection string, if the binding exists: `mysql`. */
export function hyperdriveScheme(name: string, { bindings }: Pick<Io, 'bindings'>) {
  const { connectionString } = Object(bindings[name]) as Partial<Hyperdrive>
  return typeof connectionString === 'string' ? connectionString.split(':', 1)[0] : undefined
}
