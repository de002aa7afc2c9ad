import { type Asked, linkTo, type Place } from './asked.ts'
import { short, whoOf } from './calls.tsx'
import type { Statistics } from './reading.ts'
import { ago, figure } from './times.tsx'

/** People that a page shows. */
const MAX_PEOPLE = 15
const MAX_WHO = 60

/** What each person and key did. */
export const People = ({
  place,
  asked,
  groups,
  labels,
  now,
}: {
  readonly place: Place
  readonly asked: Asked
  readonly groups: Statistics['groups']
  readonly labels: ReadonlyMap<string, string>
  readonly now: number
}) => (
  <details id="people">
    <summary class="small">Per person and key</summary>
    <div class="panel flush scroll">
      <table>
        <caption class="hidden">Calls of each person and key, the most first</caption>
        <thead>
          <tr>
            <th scope="col">Person or key</th>
            {['Calls', 'Refused', 'Failed', 'Median ms', 'p95 ms', 'Last call'].map((it) => (
              <th scope="col" class="n">
                {it}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, MAX_PEOPLE).map((it) => (
            <tr>
              <th scope="row">
                {it.name === undefined ? (
                  whoOf(undefined)
                ) : (
                  <a dir="auto" href={linkTo(place, asked, { caller: it.name })}>
                    {short(whoOf(it.name, labels), MAX_WHO)}
                  </a>
                )}
              </th>
              {[it.calls, it.refused, it.errors, it.p50, it.p95].map((value) => (
                <td class="n">{figure(value)}</td>
              ))}
              <td class="n">{ago(it.lastCallAt, now)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {groups.length > MAX_PEOPLE && (
        <p class="small dim in">The {MAX_PEOPLE} with the most calls are shown.</p>
      )}
    </div>
  </details>
)
