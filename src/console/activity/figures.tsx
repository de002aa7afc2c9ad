import type { Child, FC } from 'hono/jsx'
import { Table, type TableHeading } from '../parts/table.tsx'
import { type CallFilter, PERIODS } from './call-filter.ts'
import { Columns, Lines } from './chart.tsx'
import type { ApiFigures, Statistics } from './reading.ts'
import { dayOf, figure } from './times.tsx'

/** Calls, latency and errors over time, as charts and as a table. */
export const FiguresShown: FC<{
  readonly statistics: Statistics
  readonly time: CallFilter['time']
}> = ({ statistics: { calls, errors, refused, p50, p95, buckets }, time }) => {
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
        <ChartPanel title="Calls" value={figure(calls)} rest={inTime}>
          <Columns
            {...ends}
            kind="col"
            label={`${figure(calls)} calls ${inTime}, ${figure(most)} at most in one column`}
            values={buckets.map((it) => it.calls)}
          />
        </ChartPanel>
        <ChartPanel title="Latency, ms" value={figure(p50)} rest={`median · ${figure(p95)} p95`}>
          <Lines
            {...ends}
            label={`Latency ${inTime}: half of the calls took ${figure(p50)} ms or less, and 95% took ${figure(p95)} ms or less`}
            main={buckets.map((it) => it.p50)}
            second={buckets.map((it) => it.p95)}
          />
        </ChartPanel>
        <ChartPanel
          title="Errors"
          value={figure(errors + refused)}
          rest={`${figure(refused)} refused · ${figure(errors)} failed`}
        >
          <Columns
            {...ends}
            kind="err"
            label={`${figure(refused)} calls refused and ${figure(errors)} failed ${inTime}`}
            values={buckets.map((it) => it.errors + it.refused)}
          />
        </ChartPanel>
      </div>
      <details id="figures-table">
        <summary class="small">The same figures as a table</summary>
        <div class="panel flush scroll">
          <Table
            caption="Calls, errors and latency over time"
            rows={buckets}
            columns={[
              {
                head: 'From (UTC)',
                isName: true,
                cell: ({ at }) => `${isDays ? `${dayOf(at)} ` : ''}${at.slice(11, 16)}`,
              },
              ...FIGURES,
            ]}
          />
        </div>
      </details>
    </>
  )
}

/** Columns of figures. */
export const FIGURES: readonly TableHeading<ApiFigures>[] = [
  { head: 'Calls', class: 'n', cell: ({ calls }) => figure(calls) },
  { head: 'Refused', class: 'n', cell: ({ refused }) => figure(refused) },
  { head: 'Failed', class: 'n', cell: ({ errors }) => figure(errors) },
  { head: 'Median ms', class: 'n', cell: ({ p50 }) => figure(p50) },
  { head: 'p95 ms', class: 'n', cell: ({ p95 }) => figure(p95) },
]

const ChartPanel: FC<{
  readonly title: string
  readonly value: string
  readonly rest: string
  readonly children: Child
}> = ({ title, value, rest, children }) => (
  <figure class="panel stack">
    <figcaption>
      <span class="small dim">{title}</span>
      <div class="row base">
        <span class="figure">{value}</span>
        <span class="small dim">{rest}</span>
      </div>
    </figcaption>
    {children}
  </figure>
)
