import { type Asked, PERIODS } from './asked.ts'
import { Columns, Lines } from './chart.tsx'
import type { Statistics } from './reading.ts'
import { dayOf, figure } from './times.tsx'

/** Calls, latency and errors over time: as pictures, and as a table. */
export const FiguresShown = ({
  statistics: { calls, errors, refused, p50, p95, buckets },
  time,
}: {
  readonly statistics: Statistics
  readonly time: Asked['time']
}) => {
  const { text, ms } = PERIODS[time]
  const isDays = ms > 86_400_000
  const labelOf = (at = '') => (isDays ? dayOf(at) : at.slice(11, 16))
  const ends = {
    from: labelOf(buckets[0]?.at),
    middle: labelOf(buckets[Math.floor(buckets.length / 2)]?.at),
  }
  const most = Math.max(0, ...buckets.map((it) => it.calls))
  const inTime = `in the ${text}`
  return (
    <>
      <div class="thirds">
        <figure class="panel stack">
          <figcaption>
            <span class="small dim">Calls</span>
            <Figure value={figure(calls)} rest={inTime} />
          </figcaption>
          <Columns
            {...ends}
            kind="col"
            label={`${figure(calls)} calls ${inTime}, ${figure(most)} at most in one column`}
            values={buckets.map((it) => it.calls)}
          />
        </figure>
        <figure class="panel stack">
          <figcaption>
            <span class="small dim">Latency, ms</span>
            <Figure value={figure(p50)} rest={`median · ${figure(p95)} p95`} />
          </figcaption>
          <Lines
            {...ends}
            label={`Latency ${inTime}: half of the calls took ${figure(p50)} ms or less, 95 of 100 took ${figure(p95)} ms or less`}
            main={buckets.map((it) => it.p50)}
            second={buckets.map((it) => it.p95)}
          />
        </figure>
        <figure class="panel stack">
          <figcaption>
            <span class="small dim">Errors</span>
            <Figure
              value={figure(errors + refused)}
              rest={`${figure(refused)} refused · ${figure(errors)} failed`}
            />
          </figcaption>
          <Columns
            {...ends}
            kind="err"
            label={`${figure(refused)} calls refused and ${figure(errors)} failed ${inTime}`}
            values={buckets.map((it) => it.errors + it.refused)}
          />
        </figure>
      </div>
      <details id="figures-table">
        <summary class="small">The same figures as a table</summary>
        <div class="panel flush scroll">
          <table>
            <caption class="hidden">Calls, errors and latency over time</caption>
            <thead>
              <tr>
                <th scope="col">From (UTC)</th>
                {['Calls', 'Refused', 'Failed', 'Median ms', 'p95 ms'].map((it) => (
                  <th scope="col" class="n">
                    {it}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {buckets.map((it) => (
                <tr>
                  <th scope="row">
                    {isDays && `${dayOf(it.at)} `}
                    {it.at.slice(11, 16)}
                  </th>
                  {[it.calls, it.refused, it.errors, it.p50, it.p95].map((value) => (
                    <td class="n">{figure(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  )
}

const Figure = ({ value, rest }: { readonly value: string; readonly rest: string }) => (
  <div class="row base">
    <span class="figure">{value}</span>
    <span class="small dim">{rest}</span>
  </div>
)
