import { type InspectRole, type Kinds, MAX_OBJECTS, PASSWORD, toFindings } from '../role.ts'

const refused = 'A read-only session refuses it, but the user should not have the right at all.'

const kinds: Kinds = {
  file: [
    'high',
    'The user has FILE: its SELECT can read and write files of the server. Only the guard stops it, or secure_file_priv where the server sets it.',
  ],
  administration: [
    'high',
    'The user has rights of an administrator, such as seeing what other sessions run. No setting of a session takes them away.',
  ],
  'every-database': [
    'high',
    'The user may read every database of the server, including the hashes of all passwords in mysql. Only the guard refuses to read those.',
  ],
  'write-grants': ['low', `The user may write. ${refused}`],
  'grant-option': ['low', `The user may give its rights to others. ${refused}`],
  routines: [
    'low',
    'The user may run stored functions and procedures, which may have the rights of another user. A read-only session refuses what functions write, and procedures cannot be called.',
  ],
  roles: [
    'low',
    'The user is a member of roles. It has their rights, which cannot be seen from here.',
  ],
}

/** Rights that only tell about tables. */
const harmless = ['USAGE', 'SHOW VIEW', 'SHOW DATABASES', 'SHOW CREATE ROUTINE']
const writing =
  /^(?:INSERT|UPDATE|DELETE|CREATE|DROP|REFERENCES|INDEX|ALTER|LOCK TABLES|EVENT|TRIGGER)\b/

/** The current user, as the tables of grants and a GRANT write it. */
const host = "substring_index(current_user(), '@', -1)"
const me = `concat(
  quote(left(current_user(), char_length(current_user()) - char_length(${host}) - 1)),
  '@', quote(${host}))`

const quoted = (name: string) => `concat('\`', replace(${name}, '\`', '\`\`'), '\`')`

/** The rights of one level beyond reading: a row for each object. */
const level = (name: string, on: string, least: readonly string[], right = 'privilege_type') => `
  select ${on} as thing, group_concat(distinct ${right} order by ${right} separator '\\n') as rights,
    max(is_grantable) as grantable
  from information_schema.${name}
  where grantee = ${me}
    and (is_grantable = 'YES' or privilege_type not in ('${least.join("', '")}'))
  group by ${on}`

const reads = ['SELECT', ...harmless]
const schema = `concat(${quoted('table_schema')}, '.*')`
const table = `concat(${quoted('table_schema')}, '.', ${quoted('table_name')})`
const column = `concat(privilege_type, ' (', ${quoted('column_name')}, ')')`

/** The most objects that are read. A user may have rights on each of many tables. */
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
    ${quoted('routine_schema')}, '.', ${quoted('routine_name')}), null, null, count(*) over ()
  from information_schema.routines
  where routine_schema not in ('mysql', 'sys', 'information_schema', 'performance_schema')
  limit ${MAX_GRANTS})
  union all
  select 'role', role_name, null, null, 0 from information_schema.enabled_roles
  where role_name is not null`

/** A right, or several, on one thing. */
interface Right {
  readonly kind: string
  readonly object: string
  readonly statement: string
}

/** Finds out what the user of a MySQL or MariaDB database may do. */
export const inspectRole: InspectRole = async (ask) => {
  const rows = await ask(LOOK)
  const of = (what: string) => rows.filter(([it]) => it === what)
  const [, version, role, database] = of('me')[0]!.map(String) as [string, string, string, string]
  const engine = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL'
  const on = of('on').flatMap(([, thing, list, grantable]) =>
    rightsOn(String(thing), String(list).split('\n'), grantable === 'YES', role),
  )
  const wide = on.some(({ object, kind }) => kind === 'execute' && /\.\*$/.test(object))
  // A user who may read the tables of mysql also sees routines that it may not run.
  const seeing = on.some(({ kind }) => kind === 'every-database')
  const run = (seeing ? [] : of('run')).map(([, name]) => ({
    kind: 'routines',
    object: String(name),
    // If the right is on the whole database, there is none on the routine to revoke.
    statement: wide ? '' : `REVOKE EXECUTE ON ${name} FROM ${role}`,
  }))
  const roles = of('role').map(([, name]) => ({
    kind: 'roles',
    object: String(name),
    statement: `REVOKE ${quote(String(name))} FROM ${role}`,
  }))
  const rights = on.map((it) => (it.kind === 'execute' ? { ...it, kind: 'routines' } : it))
  const all = [...rights, ...run, ...roles]
  // Nothing is revoked from an administrator: others need those rights.
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
): Right[] {
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

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``

/** SQL that makes a user that may read one database, and nothing else. */
function readerRoleSql(database: string): string[] {
  // 32 characters is the longest name of a user.
  const user = `'${`tidegate_${database}`.slice(0, 32).replace(/['\\]/g, '')}'@'%'`
  return [`CREATE USER ${user} IDENTIFIED BY ${PASSWORD};`, reading(database, user)]
}

/** SQL that lets a user read one database. In its name, _ and % would be patterns. */
const reading = (database: string, user: string) =>
  `GRANT SELECT, SHOW VIEW ON ${quote(database.replace(/[_%\\]/g, '\\$&'))}.* TO ${user};`
