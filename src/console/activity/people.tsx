import type { FC } from 'hono/jsx'
import { Table } from '../parts/table.tsx'
import { cut } from '../parts/texts.ts'
import { type CallFilter, type CallScope, linkTo } from './call-filter.ts'
import { whoOf } from './calls.tsx'
import { FIGURES } from './figures.tsx'
import type { Statistics } from './reading.ts'
import { ago } from './times.tsx'

/** Maximum number of people on a page. */
const MAX_PEOPLE = 15
const MAX_WHO = 60

/** Statistics for each person and key. */
export const People: FC<{
  readonly place: CallScope
  readonly filter: CallFilter
  readonly groups: NonNullable<Statistics['groups']>
  readonly labels: ReadonlyMap<string, string>
  readonly now: number
}> = ({ place, filter, groups, labels, now }) => (
  <details id="people">
    <summary class="small">By person and key</summary>
    <div class="panel flush scroll">
      <Table
        caption="Calls by person and key, most active first"
        rows={groups.slice(0, MAX_PEOPLE)}
        columns={[
          {
            head: 'Person or key',
            isName: true,
            cell: ({ name }) =>
              name === undefined ? (
                whoOf(undefined)
              ) : (
                <a dir="auto" href={linkTo(place, filter, { caller: name })}>
                  {cut(whoOf(name, labels), MAX_WHO)}
                </a>
              ),
          },
          ...FIGURES,
          { head: 'Last call', class: 'n', cell: ({ lastCallAt }) => ago(lastCallAt, now) },
        ]}
      />
      {groups.length > MAX_PEOPLE && (
        <p class="small dim in">Only the {MAX_PEOPLE} with the most calls are shown.</p>
      )}
    </div>
  </details>
)
