import { type InspectRole, type Kinds, MAX_OBJECTS, PASSWORD, toFindings } from '../role.ts'
import { quoted } from './quote.ts'

const refused = 'A read-only session refuses it, but the user should not have the right at all.'

const kinds: Kinds = {
  file: [
    'high',
    'The user has FILE: its SELECT statements can read and write files on the server. Only the guard stops it, or secure_file_priv if the server sets it.',
  ],
  administration: [
    'high',
    'The user has administrator rights, such as seeing what other sessions run. No session setting removes them.',
  ],
  'every-database': [
    'high',
    'The user can read every database on the server, including all password hashes in mysql. Only the guard prevents that.',
  ],
  'write-grants': ['low', `The user can write. ${refused}`],
  'grant-option': ['low', `The user can grant its rights to others. ${refused}`],
  routines: [
    'low',
    'The user can run stored functions and procedures, which may have the rights of another user. A read-only session refuses what functions write, and procedures cannot be called.',
  ],
  roles: [
    'low',
    'The user is a member of roles. It has their rights, which cannot be seen from here.',
  ],
}

/** Privileges that only reveal information about tables. */
const harmless = ['USAGE', 'SHOW VIEW', 'SHOW DATABASES', 'SHOW CREATE ROUTINE']
const writing =
  /^(?:INSERT|UPDATE|DELETE|CREATE|DROP|REFERENCES|INDEX|ALTER|LOCK TABLES|EVENT|TRIGGER)\b/

/** The current user, as written in the grant tables and in a GRANT. */
const host = "substring_index(current_user(), '@', -1)"
const me = `concat(
  quote(left(current_user(), char_length(current_user()) - char_length(${host}) - 1)),
  '@', quote(${host}))`

/** SQL that quotes a name from a column. */
const quotedIn = (name: string) => `concat('\`', replace(${name}, '\`', '\`\`'), '\`')`

/** The privileges beyond reading at one level: a row for each object. */
const level = (name: string, on: string, least: readonly string[], right = 'privilege_type') => `
  select ${on} as thing, group_concat(distinct ${right} order by ${right} separator '\\n') as rights,
    max(is_grantable) as grantable
  from information_schema.${name}
  where grantee = ${me}
    and (is_grantable = 'YES' or privilege_type not in ('${least.join("', '")}'))
  group by ${on}`

const reads = ['SELECT', ...harmless]
const schema = `concat(${quotedIn('table_schema')}, '.*')`
const table = `concat(${quotedIn('table_schema')}, '.', ${quotedIn('table_name')})`
const column = `concat(privilege_type, ' (', ${quotedIn('column_name')}, ')')`

/** Maximum number of objects to read. A user can have privileges on each of many tables. */
const MAX_GRANTS = 300

const LOOK = `
  select 'me' as what, version() as name, ${me} as rights, database() as grantable, 0 as total
  union all
  (select 'on', it.*, count(*) over () from (
    ${level('user_privileges', "'*.*'", harmless)}
    union all ${level('schema_privileges', schema, reads)}
    union all ${level('table_privileges', table, reads)}
    union all ${level('column_privileges', table, reads, column)}) it
  order by thing limit ${MAX_GRANTS})
  union all
  (select 'run', concat(routine_type, ' ',
    ${quotedIn('routine_schema')}, '.', ${quotedIn('routine_name')}), null, null, count(*) over ()
  from information_schema.routines
  where routine_schema not in ('mysql', 'sys', 'information_schema', 'performance_schema')
  limit ${MAX_GRANTS})
  union all
  select 'role', role_name, null, null, 0 from information_schema.enabled_roles
  where role_name is not null`

/** One or more privileges on one object. */
interface MysqlRight {
  readonly kind: string
  readonly object: string
  readonly statement: string
}

/** Reports the rights of a MySQL or MariaDB user. */
export const inspectRole: InspectRole = async (ask) => {
  const rows = await ask(LOOK)
  const of = (what: string) => rows.filter(([it]) => it === what)
  const [, version, role, database] = of('me')[0]!.map(String) as [string, string, string, string]
  const engine = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL'
  const on = of('on').flatMap(([, thing, list, grantable]) =>
    rightsOn(String(thing), String(list).split('\n'), grantable === 'YES', role),
  )
  const wide = on.some(({ object, kind }) => kind === 'execute' && /\.\*$/.test(object))
  // A user who can read the tables in mysql also sees routines that it cannot run.
  const seeing = on.some(({ kind }) => kind === 'every-database')
  const run = (seeing ? [] : of('run')).map(([, name]) => ({
    kind: 'routines',
    object: String(name),
    // If the privilege is on the whole database, there is no privilege on the routine to revoke.
    statement: wide ? '' : `REVOKE EXECUTE ON ${name} FROM ${role}`,
  }))
  const roles = of('role').map(([, name]) => ({
    kind: 'roles',
    object: String(name),
    statement: `REVOKE ${quoted(String(name))} FROM ${role}`,
  }))
  const rights = on.map((it) => (it.kind === 'execute' ? { ...it, kind: 'routines' } : it))
  const all = [...rights, ...run, ...roles]
  // Nothing is revoked from an administrator: other uses need those privileges.
  const admin = on.some(({ object }) => object === 'GRANT OPTION ON *.*')
  const findings = toFindings(
    kinds,
    [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, rights]) => {
      const objects = [...new Set(rights.map(({ object }) => object))]
      const total = Number(of(kind === 'routines' ? 'run' : 'on')[0]?.[4] ?? 0)
      const statements = rights.flatMap(({ statement }) => (statement ? [`${statement};`] : []))
      if (kind === 'every-database') statements.unshift(reading(database, role))
      return {
        kind,
        count: total > MAX_GRANTS ? total : objects.length,
        objects: objects.slice(0, MAX_OBJECTS),
        statements: admin ? [] : statements,
      }
    }),
  )
  const name = `${engine} ${version}`
  return {
    version: name,
    role,
    findings,
    reader: all.length > 0 ? readerRoleSql(database) : [],
  }
}

function rightsOn(
  thing: string,
  list: readonly string[],
  grantable: boolean,
  role: string,
): MysqlRight[] {
  const given = list.filter((it) => !harmless.includes(it))
  const rights = Map.groupBy(given, (right): string => {
    if (right === 'FILE') return 'file'
    if (/^SELECT\b/.test(right)) return 'every-database'
    if (right === 'EXECUTE') return 'execute'
    return writing.test(right) ? 'write-grants' : 'administration'
  })
  if (thing !== '*.*') rights.delete('every-database')
  if (grantable) rights.set('grant-option', ['GRANT OPTION'])
  return [...rights].map(([kind, names]) => ({
    kind,
    object: `${names.join(', ')} ON ${thing}`,
    statement: `REVOKE ${names.join(', ')} ON ${thing} FROM ${role}`,
  }))
}

/** SQL that creates a user that can read one database and nothing else. */
function readerRoleSql(database: string): string[] {
  // User names can be at most 32 characters long.
  const user = `'${`tidegate_${database}`.slice(0, 32).replace(/['\\]/g, '')}'@'%'`
  return [`CREATE USER ${user} IDENTIFIED BY ${PASSWORD};`, reading(database, user)]
}

/** SQL that lets a user read one database. Unescaped, _ and % in its name would be wildcards. */
const reading = (database: string, user: string) =>
  `GRANT SELECT, SHOW VIEW ON ${quoted(database.replace(/[_%\\]/g, '\\$&'))}.* TO ${user};`
