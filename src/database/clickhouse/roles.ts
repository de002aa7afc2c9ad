import {
  type InspectRole,
  type Kinds,
  MAX_OBJECTS,
  PASSWORD,
  ROLE_LIMITS,
  toFindings,
} from '../role.ts'

const kinds: Kinds = {
  'kill-query': [
    'high',
    'The user can end the queries of other users (KILL QUERY), and readonly = 1 does not prevent it. Only the guard does.',
  ],
  'every-database': [
    'high',
    'The user can read every database on the server, including system.query_log with the statements of other users. No session setting removes that.',
  ],
  'write-grants': [
    'low',
    'The user can write, or connect to other servers. readonly = 1 refuses it, but the user should not have the right at all.',
  ],
  roles: ['low', 'The user is a member of roles. It has their rights, which are not listed here.'],
  'grant-option': ['low', 'The user can grant its rights to others. readonly = 1 refuses it.'],
  'no-grants': [
    'low',
    'This version does not have GRANT, and the profile of the user allows it to write. Tidegate cannot, because it sends readonly = 1 with every query.',
  ],
}

const ABOUT = 'select version(), currentDatabase()'

/** Returns 1 if the user can change settings, because this query then has our limits. */
const FREE = `select count() from system.settings
  where name = 'max_result_rows' and value = '${ROLE_LIMITS.maxRows + 1}'`

/** Reports the rights of a ClickHouse user, in version 18 and later. */
export const inspectRole: InspectRole = async (ask) => {
  const [about = []] = await ask(ABOUT)
  const [number, database] = about.map(String) as [string, string]
  const version = `ClickHouse ${number}`
  const [major = 0, minor = 0] = number.split('.').map(Number)
  // GRANT was added in 20.4.
  if (major < 20 || (major === 20 && minor < 4)) {
    const [[free] = []] = await ask(FREE)
    const writes = Number(free) > 0
    const finding = { kind: 'no-grants', count: 1, objects: ['readonly = 0'], statements: [] }
    return {
      version,
      role: undefined,
      findings: toFindings(kinds, writes ? [finding] : []),
      reader: [],
      note: writes ? profile(database) : undefined,
    }
  }
  const [[role] = []] = await ask('select currentUser()')
  const rights = grants((await ask('show grants')).map(([line]) => String(line)))
  // Nothing is revoked from an administrator: those rights are needed for other work.
  const admin = rights.some(
    ({ kind, object }) => kind !== 'grant-option' && /^ALL ON \*/.test(object),
  )
  const findings = toFindings(
    kinds,
    [...Map.groupBy(rights, ({ kind }) => kind)].map(([kind, list]) => ({
      kind,
      count: list.length,
      objects: list.slice(0, MAX_OBJECTS).map(({ object }) => object),
      statements: admin ? [] : list.flatMap((it) => closing(kind, it, database)),
    })),
  )
  return {
    version,
    role: String(role),
    findings,
    reader: findings.length > 0 ? readerRoleSql(database) : [],
  }
}

/** SQL that revokes a right. A user with rights on all databases can still read its own database. */
function closing(kind: string, { object, of }: ClickHouseRight, database: string): string[] {
  const revoke = `REVOKE ${object} FROM ${of};`
  return kind === 'every-database' ? [revoke, reading(database, of)] : [revoke]
}

const reading = (database: string, user: string) =>
  `GRANT SELECT ON ${quote(database)}.* TO ${user};`

const profile = (database: string) =>
  `In users.xml, make a separate user for Tidegate, with <allow_databases><database>${database}</database></allow_databases> and a profile with <readonly>1</readonly>, <max_execution_time>, <max_result_rows> and <result_overflow_mode>break</result_overflow_mode>. The limits must be in the profile, because such a user cannot set them.`

interface ClickHouseRight {
  readonly kind: string
  readonly object: string
  /** The user or role that has it. */
  readonly of: string
}

/** Rights that only allow reading. */
const reads = /^(?:SELECT(?:\(.*\))?|SHOW(?: \w+)*|DICTGET|USAGE|NONE)$/i

/** Finds the rights beyond reading in lines such as `GRANT SELECT, INSERT(a) ON shop.* TO reader`. */
function grants(lines: readonly string[]): ClickHouseRight[] {
  return lines.flatMap((line) => {
    const found = grant(line)
    if (!found) return []
    const { list, on, of, option } = found
    if (on === undefined) return [{ kind: 'roles', object: list, of }]
    const all = [...list.matchAll(/[^,(]+(?:\([^)]*\))?/g)].map(([it]) => it.trim())
    const given = Map.groupBy(all.filter(Boolean), (right) => {
      if (/^SELECT$/i.test(right) && on === '*.*') return 'every-database'
      if (reads.test(right)) return 'harmless'
      return /^(?:ALL|KILL.*)$/i.test(right) && on === '*.*' ? 'kill-query' : 'write-grants'
    })
    given.delete('harmless')
    return [
      ...[...given].map(([kind, names]) => ({ kind, object: `${names.join(', ')} ON ${on}`, of })),
      ...(option
        ? [{ kind: 'grant-option', object: `GRANT OPTION FOR ${list} ON ${on}`, of }]
        : []),
    ]
  })
}

/** Splits `GRANT list ON on TO of` into its parts. A GRANT for roles has no ON. */
function grant(line: string) {
  if (!line.startsWith('GRANT ')) return undefined
  const option = / WITH (?:GRANT|ADMIN) OPTION$/.test(line)
  const words = line.slice('GRANT '.length, option ? line.lastIndexOf(' WITH ') : undefined)
  const first = words.indexOf(' ON ')
  const member = words.lastIndexOf(' TO ', first < 0 ? words.length : first)
  if (member >= 0) {
    const [list, of] = [words.slice(0, member), words.slice(member + 4)]
    return { list, on: undefined, of, option }
  }
  const at = words.lastIndexOf(' ON ', words.lastIndexOf(' TO '))
  const to = words.indexOf(' TO ', at + 4)
  if (at < 0 || to < 0) return undefined
  return { list: words.slice(0, at), on: words.slice(at + 4, to), of: words.slice(to + 4), option }
}

const quote = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``

/** SQL that creates a user that can read one database, and nothing else. */
function readerRoleSql(database: string): string[] {
  const user = quote(`tidegate_${database}`)
  return [
    `CREATE USER ${user} IDENTIFIED WITH sha256_password BY ${PASSWORD};`,
    reading(database, user),
  ]
}
