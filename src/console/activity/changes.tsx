import { Note } from '../parts/note.tsx'
import { Table } from '../parts/table.tsx'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import type { CallScope } from './call-filter.ts'
import { Time } from './times.tsx'

const PAGE = 50

/** List of changes: all changes, or only those to one endpoint. */
export async function changesShown(
  visit: ConsoleVisit,
  { path, endpoint }: CallScope,
  cursor: string | null,
) {
  const now = Date.now()
  const query = new URLSearchParams({
    limit: String(PAGE),
    ...(cursor !== null && { cursor }),
    ...(endpoint !== undefined && { endpoint }),
  })
  const found = await ask<Answers['Changes']>(visit, 'GET', `/changes?${query}`)
  if (!found.ok) return <Note kind="bad">{found.refused.message}</Note>
  const { changes, next } = found.body
  if (changes.length === 0) return <p>No changes yet.</p>
  return (
    <div class="panel flush">
      <section class="scroll" aria-label="Changes" tabindex={0}>
        <Table
          caption="Changes, newest first. All times are in UTC."
          rows={changes}
          columns={[
            {
              head: 'Time (UTC)',
              class: 'small dim nowrap',
              cell: ({ time }) => <Time at={time} now={now} />,
            },
            { head: 'Person', cell: ({ by }) => <bdi>{by}</bdi> },
            { head: 'Change', cell: ({ what }) => <bdi>{what}</bdi> },
          ]}
        />
      </section>
      <footer>
        {cursor !== null && <a href={`${path}/changes`}>Newest</a>}
        {next && <a href={`${path}/changes?${new URLSearchParams({ cursor: next })}`}>Older</a>}
        <span class="dim push">The values are not logged</span>
      </footer>
    </div>
  )
}
