import { DatabaseError } from '../error.ts'
import type { Identity } from '../rows.ts'

/** A setting of the transaction, and SQL for its value. */
export type Setting = readonly [name: string, value: string]

/**
 * The settings by which a transaction runs for somebody, as PostgREST and Supabase make them; `bind` gives
 * a placeholder for a value. For a role that row-level security does not apply to, claims would hide
 * nothing: then the last setting gets a value that the server refuses, before the statement is sent.
 */
export function identitySettings(
  { role, claims }: Identity,
  bind: (value: string) => string,
): Setting[] {
  const settings: Setting[] = []
  if (claims !== undefined) settings.push(['request.jwt.claims', bind(claims)])
  const name = role === undefined ? undefined : bind(role)
  if (name) settings.push(['role', name])
  if (claims !== undefined) {
    const user = name ?? 'current_user'
    settings.push([
      'row_security',
      `case when (select not (rolsuper or rolbypassrls) from pg_catalog.pg_roles
        where rolname operator(pg_catalog.=) ${user}::pg_catalog.text) then 'on' else 'ignored' end`,
    ])
  }
  return settings
}

/**
 * The error of these settings in words for the operator. Any other error is given back as it is.
 * `setting`: whether it is known that the error comes from the settings.
 */
export function identityFault(
  error: unknown,
  identity: Identity | undefined,
  setting: boolean,
): unknown {
  if (!identity || !(error instanceof DatabaseError)) return error
  const { code, message } = error
  if (code === '22023' && message.includes('"row_security"')) {
    return new DatabaseError('config', IGNORED, { code, hint: OWN_ROLE })
  }
  const { role } = identity
  const said = [`role "${role}" does not exist`, `permission denied to set role "${role}"`]
  if (role === undefined || (code !== '22023' && code !== '42501')) return error
  return setting || said.includes(message)
    ? new DatabaseError('config', NO_ROLE, { code, hint: MEMBER })
    : error
}

const IGNORED =
  'The role of this database ignores row-level security, so the claims of a caller would hide no row. Nothing was asked.'
const OWN_ROLE =
  'The operator has to set a role that is no superuser, owns no table, and has no BYPASSRLS.'
const NO_ROLE =
  'The role of this database does not exist, or the login of its URL may not become it. Nothing was asked.'
const MEMBER = 'The operator has to make the role, and then: GRANT role TO login.'
