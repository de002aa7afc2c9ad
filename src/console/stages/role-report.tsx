import { Copy } from '../parts/copy.tsx'
import { State } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import type { TestedDatabase } from './tested.ts'

/** How many objects of a finding are named. */
const MAX_OBJECTS = 8

/** The password that a person writes into the SQL. */
const PASSWORD = 'a long password of your own'

/** What the role of a database may do besides reading, and the SQL that takes it away. */
export const RoleReport = ({
  tested: { database, role, findings = [], reader = [], note },
  id,
}: {
  readonly tested: TestedDatabase
  /** What the ids of its texts begin with. */
  readonly id: string
}) => {
  const revoked = findings.flatMap(({ statements }) => statements)
  const whose = role ?? 'the role'
  const tabs = [
    ...(reader.length > 0
      ? [
          {
            label: 'A role of its own',
            lead: `Best if others use ${whose}. Run it as an administrator, then put in a connection string with the new role.`,
            sql: reader,
          },
        ]
      : []),
    ...(revoked.length > 0
      ? [
          {
            label: 'Take rights from this one',
            lead: `Applies to whoever uses ${whose}; where it says PUBLIC, to every role. Run it as an administrator.`,
            sql: revoked,
          },
        ]
      : []),
  ]
  return (
    <>
      {findings.length > 0 && (
        <div class="panel flush">
          <table role="table" class="fold">
            <caption class="hidden">What the role of {database} may do besides reading</caption>
            <thead role="rowgroup">
              <tr role="row">
                <th role="columnheader" scope="col">
                  Weight
                </th>
                <th role="columnheader" scope="col" dir="auto">
                  What {role ? <code>{role}</code> : 'it'} may do
                </th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {findings.map(({ severity, sentence, objects, count }) => (
                <tr role="row">
                  <td role="cell">
                    <State
                      kind={severity === 'high' ? 'bad' : 'low'}
                      word={severity === 'high' ? 'High' : 'Low'}
                    />
                  </td>
                  <td role="cell" class="whole">
                    {sentence}
                    <Objects objects={objects} count={count} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {note && (
        <div class="note">
          <p dir="auto">{note}</p>
        </div>
      )}
      {tabs.length > 0 && (
        <Tabs
          legend="How to close it"
          name={`${id}-sql`}
          tabs={tabs.map(({ label, lead, sql }, i) => ({
            label,
            isChosen: i === 0,
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

const Objects = ({
  objects,
  count,
}: {
  readonly objects: readonly string[]
  readonly count: number
}) =>
  objects.length > 0 ? (
    <span class="under" dir="auto">
      {objects.slice(0, MAX_OBJECTS).map((it, i) => (
        <>
          {i > 0 && ', '}
          <code>{it}</code>
        </>
      ))}
      {count > Math.min(objects.length, MAX_OBJECTS) && `, ${count.toLocaleString('en')} in all`}
    </span>
  ) : null

/** Statements, with a mark around the password that a person writes. */
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
