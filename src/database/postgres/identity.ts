import { badConfig, DatabaseError } from '../error.ts'
import type { Identity } from '../rows.ts'

/** A transaction setting, and the SQL for its value. */
export type Setting = readonly [name: string, value: string]

/**
 * The settings that make a transaction run as a role with claims, as in PostgREST and Supabase. `bind` returns
 * a placeholder for a value. If row-level security does not apply to the role, claims would not hide any
 * rows. The last setting then gets a value that the server refuses, before the statement is sent.
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
 * Translates an error from these settings for the operator. Any other error is returned unchanged.
 * `setting`: true if the error is known to come from the settings.
 */
export function identityFault(
  error: unknown,
  identity: Identity | undefined,
  setting: boolean,
): unknown {
  if (!identity || !(error instanceof DatabaseError)) return error
  const { code, message } = error
  if (code === '22023' && message.includes('"row_security"')) {
    return badConfig(IGNORED, { code, hint: OWN_ROLE })
  }
  const { role } = identity
  const said = [`role "${role}" does not exist`, `permission denied to set role "${role}"`]
  if (role === undefined || (code !== '22023' && code !== '42501')) return error
  return setting || said.includes(message) ? badConfig(NO_ROLE, { code, hint: MEMBER }) : error
}

const IGNORED =
  'The role for this database ignores row-level security, so the claims would not hide any rows. No query was sent.'
const OWN_ROLE =
  'The operator must set a role that is not a superuser, does not own tables, and does not have BYPASSRLS.'
const NO_ROLE =
  'The role for this database does not exist, or the login in its URL cannot switch to it. No query was sent.'
const MEMBER = 'The operator must create the role, and then: GRANT role TO login.'
