import { type InspectRole, toFindings } from '../role.ts'
import { readerRole } from './reader-role.ts'
import { kinds } from './role-findings.ts'
import { ROLE_QUERY, type RoleRow } from './role-query.ts'

/** Finds out what the role of a PostgreSQL database may do, from version 12 on. */
export const inspectRole: InspectRole = async (ask, { rollsBack }) => {
  const rows = (await ask(ROLE_QUERY)) as unknown as readonly RoleRow[]
  const [version = '', role, database = ''] = rows.find(([kind]) => kind === 'me')![2]
  const schemas = rows
    .filter(([kind]) => kind === 'tables')
    .map(([, , [schema = ''], owners]) => [schema, owners ?? []] as const)
  const found = rows.filter(([kind]) => kind in kinds)
  const closing = found.flatMap(([, , , sql]) => sql)
  // If only a new role helps, this one keeps its rights for its other uses. Rights of every role are
  // still revoked: the new role would have them, too.
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
    // Without the compiler and the platform.
    version: /^.*?(?= on |,| \(|$)/.exec(version)![0],
    role,
    findings: toFindings(kinds, findings),
    reader: closing.every(isOfEverybody) ? [] : readerRole(database, schemas),
  }
}

/** Whether a finding leaves nothing to take from this role alone. */
const isOfEverybody = (sql: string | null) => sql === '' || (sql?.endsWith(' FROM PUBLIC') ?? false)
