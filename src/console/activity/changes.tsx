import { ask, type Visit } from '../visit.ts'
import type { Place } from './asked.ts'
import { Time } from './times.tsx'

/** A change, as the API tells of it. */
interface Change {
  readonly id: number
  readonly time: string
  readonly by: string
  readonly what: string
}

const PAGE = 50

/** Who changed what: of all, or of one endpoint. */
export async function changesShown(visit: Visit, { path, endpoint }: Place, cursor: string | null) {
  const now = Date.now()
  const query = new URLSearchParams({
    limit: String(PAGE),
    ...(cursor !== null && { cursor }),
    ...(endpoint !== undefined && { endpoint }),
  })
  const { status, body } = await ask(visit, 'GET', `/changes?${query}`)
  if (status !== 200) return <p class="note bad">{body.error.message}</p>
  const { changes, next } = body as { changes: readonly Change[]; next?: string }
  if (changes.length === 0) return <p>Nothing was changed yet.</p>
  return (
    <div class="panel flush">
      <section class="scroll" aria-label="Changes" tabindex={0}>
        <table>
          <caption class="hidden">Changes, newest first. All times are of UTC.</caption>
          <thead>
            <tr>
              {['Time (UTC)', 'Who', 'What'].map((it) => (
                <th scope="col">{it}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changes.map((it) => (
              <tr>
                <td class="small dim nowrap">
                  <Time at={it.time} now={now} />
                </td>
                <td>
                  <bdi>{it.by}</bdi>
                </td>
                <td>
                  <bdi>{it.what}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <footer>
        {cursor !== null && <a href={`${path}/changes`}>Newest</a>}
        {next && <a href={`${path}/changes?${new URLSearchParams({ cursor: next })}`}>Older</a>}
        <span class="dim push">What was set is not kept</span>
      </footer>
    </div>
  )
}
