import type { Visit } from '../visit.ts'
import { AccessPage } from './area.tsx'
import { GROUPS, type ShownGroup, titleOf } from './group.ts'

type Reports = Readonly<
  Record<string, { readonly problem?: string; readonly notes: readonly string[] }>
>

/** Notes and endpoints of a report that are shown. */
const MAX_NOTES = 50
const MAX_REPORTS = 100

/** Which tools the rules of a group turn off, and which names in them do not exist. */
export const ReportPage = ({
  visit,
  group,
  reports,
}: {
  readonly visit: Visit
  readonly group: ShownGroup
  readonly reports: Reports
}) => (
  <AccessPage
    visit={visit}
    part="groups"
    title={`What ${titleOf(group)} does not have`}
    about="Which tools the rules turn off and why, and which names in them do not exist."
    crumbs={
      <>
        <a href={GROUPS}>Groups</a> / <a href={`${GROUPS}/${group.name}`}>{group.name}</a>
      </>
    }
    slim
  >
    {Object.keys(reports).length === 0 && <p>The group has no endpoint.</p>}
    {Object.entries(reports)
      .slice(0, MAX_REPORTS)
      .map(([name, { problem, notes }]) => (
        <section class="panel stack">
          <h2>
            <a href={`${GROUPS}/${group.name}/endpoints/${name}`}>{name}</a>
          </h2>
          {problem && <div class="note bad">{problem}</div>}
          {!problem && notes.length === 0 && <p>Every tool is on, and every name exists.</p>}
          {notes.length > 0 && (
            <ul class="stack small">
              {notes.slice(0, MAX_NOTES).map((it) => (
                <li dir="auto">{it}</li>
              ))}
              {notes.length > MAX_NOTES && <li>And {notes.length - MAX_NOTES} more.</li>}
            </ul>
          )}
        </section>
      ))}
  </AccessPage>
)
