import { Done } from '../parts/done.tsx'
import { Page } from '../parts/page.tsx'
import { Pages, Search } from '../parts/pages.tsx'
import type { Visit } from '../visit.ts'
import type { Known } from './figures.ts'
import { EndpointTable, Failures } from './list.tsx'

/** What the list of endpoints is made of. */
export interface Listed {
  readonly all: readonly Known[]
  readonly total: number
  readonly next?: string | undefined
  readonly cursor?: string | undefined
  readonly search?: string | undefined
  /** What was done before the browser was led here. */
  readonly done?: string | undefined
}

/** The list of endpoints. */
export const EndpointsPage = ({
  visit,
  listed: { all, total, next, cursor, search, done },
}: {
  readonly visit: Visit
  readonly listed: Listed
}) => {
  const isOnlyDemo = !search && total === 1 && all[0]?.endpoint.name === 'demo'
  const isMany = search !== undefined || cursor !== undefined || next !== undefined
  return (
    <Page visit={visit} title="Endpoints" section="endpoints">
      <div class="head">
        <div>
          <h1>Endpoints</h1>
          <p class="dim">{summary(all, total)}</p>
        </div>
        <a class="button main" href="/console/add">
          Add endpoint
        </a>
      </div>
      <div class="stack">
        <Done flag={done} said={DONE} />
        <Failures visit={visit} all={all} />
        {isOnlyDemo && <OnlyDemo />}
        {isMany && <Search label="Text in name or title" value={search} />}
        {all.length > 0 ? (
          <div class="panel flush">
            <EndpointTable visit={visit} all={all} />
            {isMany && (
              <Pages
                path="/console"
                query={{ search }}
                cursor={cursor}
                next={next}
                total={total}
                what="endpoints"
              />
            )}
          </div>
        ) : (
          <p>No endpoint has this text in its name or title.</p>
        )}
        <p class="small dim">
          Days are those of UTC.
          {all.some(
            ({ endpoint: { from, name } }) => from === 'configuration' && name !== 'demo',
          ) &&
            ' Endpoints of the configuration (ENDPOINTS or DATABASE_URL) are changed where they are written.'}
        </p>
      </div>
    </Page>
  )
}

/** What may be said of a change. */
const DONE = {
  opened: 'The endpoint is open: whoever has a key for it is answered.',
  gone: 'The endpoint is gone.',
}

/** What there is before anybody has added an endpoint. */
const OnlyDemo = () => (
  <div class="note">
    <p>
      <b>So far there is only the demo store:</b> a made-up shop with eight tables, built in, to try
      apps with. The first endpoint that you add takes its place at <code>/mcp</code>, and the demo
      stays at <code>/mcp/demo</code>. <a href="/console/add">Add an endpoint</a>: paste a
      connection string.
    </p>
  </div>
)

function summary(all: readonly Known[], total: number): string {
  const sum = (of: 'calls' | 'errors') =>
    all.reduce((count, { figures }) => count + (figures?.[of] ?? 0), 0)
  const [calls, errors] = [sum('calls'), sum('errors')]
  const endpoints = `${total.toLocaleString('en')} endpoint${total === 1 ? '' : 's'}`
  // Of more endpoints than there are on this page, not all calls are known.
  if (total > all.length) return endpoints
  const failed = errors > 0 ? `, ${errors.toLocaleString('en')} of them failed` : ''
  return `${endpoints}, ${calls.toLocaleString('en')} call${calls === 1 ? '' : 's'} today${failed}`
}
