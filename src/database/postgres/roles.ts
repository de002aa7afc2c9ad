import { doubleQuoted } from '../dialect.ts'
import { type InspectRole, PASSWORD, toFindings } from '../role.ts'
import { kinds } from './role-findings.ts'
import { ROLE_QUERY, type RoleRow } from './role-query.ts'

/** Reports the rights of a PostgreSQL role, in version 12 and later. */
export const inspectRole: InspectRole = async (ask, { rollsBack }) => {
  const rows = (await ask(ROLE_QUERY)) as unknown as readonly RoleRow[]
  const [version = '', role, database = ''] = rows.find(([kind]) => kind === 'me')![2]
  const schemas = rows
    .filter(([kind]) => kind === 'tables')
    .map(([, , [schema = ''], owners]) => [schema, owners ?? []] as const)
  const found = rows.filter(([kind]) => kind in kinds)
  const closing = found.flatMap(([, , , sql]) => sql)
  // If only a new role helps, this one keeps its privileges for its other uses. Privileges of PUBLIC are
  // still revoked, because the new role would have them too.
  const isReplaced = closing.includes(null)
  const findings = found.map(([kind, count, objects, sql]) => ({
    kind: kind === 'large-objects' && rollsBack ? 'large-objects-undone' : kind,
    count: Number(count),
    objects,
    statements: (sql ?? [])
      .filter((it) => it && (!isReplaced || isOfEverybody(it)))
      .map((it) => `${it};`),
  }))
  return {
    // Leaves out the compiler and the platform.
    version: /^.*?(?= on |,| \(|$)/.exec(version)![0],
    role,
    findings: toFindings(kinds, findings),
    reader: closing.every(isOfEverybody) ? [] : readerRole(database, schemas),
  }
}

/** True if a finding's fix does not revoke anything from this role alone. */
const isOfEverybody = (sql: string | null) => sql === '' || (sql?.endsWith(' FROM PUBLIC') ?? false)

/** SQL for a role that can read all current and future tables, and nothing else. */
function readerRole(
  database: string,
  schemas: readonly (readonly [string, readonly unknown[]])[],
): string[] {
  const role = doubleQuoted(`tidegate_${database}`)
  return [
    `CREATE ROLE ${role} LOGIN PASSWORD ${PASSWORD};`,
    `ALTER ROLE ${role} SET default_transaction_read_only = on;`,
    `ALTER ROLE ${role} SET statement_timeout = '60s';`,
    `GRANT CONNECT ON DATABASE ${doubleQuoted(database)} TO ${role};`,
    ...schemas.flatMap(([schema, owners]) => [
      `GRANT USAGE ON SCHEMA ${doubleQuoted(schema)} TO ${role};`,
      `GRANT SELECT ON ALL TABLES IN SCHEMA ${doubleQuoted(schema)} TO ${role};`,
      ...owners.map(
        (owner) =>
          `ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${doubleQuoted(schema)} GRANT SELECT ON TABLES TO ${role};`,
      ),
    ]),
  ]
}
