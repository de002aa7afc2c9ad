import { badConfig } from '../../error.ts'

/**
 * Reads a service's settings from the contents of a pg_service.conf file. Undefined if the service is not there.
 * If two services have the same name, the first one is used. Throws {@link DatabaseError}.
 * https://www.postgresql.org/docs/current/libpq-pgservice.html
 *
 * @param path for messages
 */
export function serviceIn(
  text: string,
  service: string,
  path: string,
): ReadonlyMap<string, string> | undefined {
  let settings: Map<string, string> | undefined
  for (const [i, written] of text.split('\n').entries()) {
    const line = written.trim()
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('[')) {
      if (settings) return settings
      if (line === `[${service}]`) settings = new Map()
      continue
    }
    if (!settings) continue
    const at = line.indexOf('=')
    const name = line.slice(0, Math.max(at, 0))
    if (!/^[a-z_]{1,40}$/.test(name))
      throw fault(path, i, 'is not NAME=VALUE without spaces around =')
    if (name === 'service' || name === 'servicefile')
      throw fault(path, i, 'refers to another service')
    if (!settings.has(name)) settings.set(name, line.slice(at + 1))
  }
  return settings
}

// The line itself could contain a password.
const fault = (path: string, i: number, what: string) =>
  badConfig(`Line ${i + 1} of the service file ${path} ${what}.`)
