import type { FC } from 'hono/jsx'
import { GROUPS, type ShownGroup, titleOf } from '../rules/group.ts'
import type { Answers, ConsoleVisit } from '../visit.ts'
import { AccessPage, GroupCrumbs } from './area.tsx'

/** Maximum number of notes, and of endpoints, in a report. */
const MAX_NOTES = 50
const MAX_REPORTS = 100

/** Test of a group's rules: tools that they turn off, and names in them that do not exist. */
export const ReportPage: FC<{
  readonly visit: ConsoleVisit
  readonly group: ShownGroup
  readonly reports: Answers['GroupReports']['endpoints']
}> = ({ visit, group, reports }) => (
  <AccessPage
    visit={visit}
    part="groups"
    title={`Rules for ${titleOf(group)}`}
    about="Tools that the rules turn off and why, and names in the rules that do not exist."
    crumbs={<GroupCrumbs group={group} />}
    slim
  >
    {Object.keys(reports).length === 0 && <p>This group has no endpoint.</p>}
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
