import type { FC } from 'hono/jsx'
import { Copy } from '../parts/copy.tsx'
import { Note } from '../parts/note.tsx'
import { State } from '../parts/state.tsx'
import { Table } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { grouped } from '../parts/texts.ts'
import type { TestedDatabase } from './tested.ts'

/** Maximum number of objects to list in a finding. */
const MAX_OBJECTS = 8

/** Placeholder in the SQL for a password that a person chooses. */
const PASSWORD = 'a long password of your own'

const SEVERITIES = {
  high: { kind: 'bad', word: 'High' },
  low: { kind: 'low', word: 'Low' },
} as const

/** Report of a role's excess rights, with the SQL to remove them. */
export const RoleReport: FC<{
  readonly tested: TestedDatabase
  /** Prefix for the ids of its elements. */
  readonly id: string
}> = ({ tested: { database, role, findings = [], reader = [], note }, id }) => {
  const revoked = findings.flatMap(({ statements }) => statements)
  const whose = role ?? 'the role'
  const tabs = [
    {
      label: 'New role',
      lead: `Best if others use ${whose} too. Run this as an administrator, then use a connection string with the new role.`,
      sql: reader,
    },
    {
      label: 'Revoke rights',
      lead: `Affects everyone who uses ${whose}; where it says PUBLIC, every role. Run this as an administrator.`,
      sql: revoked,
    },
  ].filter(({ sql }) => sql.length > 0)
  return (
    <>
      {findings.length > 0 && (
        <div class="panel flush">
          <Table
            caption={`Rights of the role in ${database} beyond reading`}
            class="fold"
            rows={findings}
            columns={[
              {
                head: 'Severity',
                cell: ({ severity }) => <State {...SEVERITIES[severity]} />,
              },
              {
                head: <bdi>Rights of {role ? <code>{role}</code> : 'the role'} beyond reading</bdi>,
                class: 'whole',
                cell: ({ sentence, objects, count }) => (
                  <>
                    {sentence}
                    <Objects objects={objects} count={count} />
                  </>
                ),
              },
            ]}
          />
        </div>
      )}
      {note && <Note>{note}</Note>}
      {tabs.length > 0 && (
        <Tabs
          legend="Fix"
          name={`${id}-sql`}
          tabs={tabs.map(({ label, lead, sql }, i) => ({
            label,
            children: (
              <>
                <p class="small dim">{lead}</p>
                <Copy id={`${id}-sql-text-${i}`} what="the SQL">
                  <Sql lines={sql} />
                </Copy>
              </>
            ),
          }))}
        />
      )}
    </>
  )
}

const Objects: FC<{
  readonly objects: readonly string[]
  readonly count: number
}> = ({ objects, count }) =>
  objects.length > 0 ? (
    <span class="under" dir="auto">
      {objects.slice(0, MAX_OBJECTS).map((it, i) => (
        <>
          {i > 0 && ', '}
          <code>{it}</code>
        </>
      ))}
      {count > Math.min(objects.length, MAX_OBJECTS) && `, ${grouped(count)} in total`}
    </span>
  ) : null

/** Statements, with the password placeholder highlighted. */
const Sql = ({ lines }: { readonly lines: readonly string[] }) =>
  lines
    .join('\n')
    .split(PASSWORD)
    .map((it, i) => (
      <>
        {i > 0 && <mark>{PASSWORD}</mark>}
        {it}
      </>
    ))
