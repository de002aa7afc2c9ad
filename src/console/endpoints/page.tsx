import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'
import { Done } from '../parts/done.tsx'
import { ButtonLink } from '../parts/form.tsx'
import { Note } from '../parts/note.tsx'
import { Head, Page } from '../parts/page.tsx'
import { Pages, Search } from '../parts/pages.tsx'
import { grouped } from '../parts/texts.ts'
import type { ConsoleVisit } from '../visit.ts'
import type { KnownFigures } from './figures.ts'
import { EndpointTable, Failures } from './list.tsx'

/** Page with the list of endpoints. */
export const EndpointsPage: FC<{
  readonly visit: ConsoleVisit
  readonly all: readonly KnownFigures[]
  readonly of: { readonly total: number; readonly next?: string | undefined }
  readonly query: Readonly<Record<'search' | 'cursor' | 'done', string | undefined>>
}> = ({ visit, all, of, query: { search, cursor, done } }) => {
  const { total, next } = of
  const isOnlyDemo = !search && total === 1 && all[0]?.endpoint.name === 'demo'
  const isMany = search !== undefined || cursor !== undefined || next !== undefined
  const hasConfigured = all.some(
    ({ endpoint: { from, name } }) => from === 'configuration' && name !== 'demo',
  )
  return (
    <Page visit={visit} title="Endpoints" section="endpoints">
      <Head
        title="Endpoints"
        about={summary(all, total)}
        action={<ButtonLink kind="main" href="/console/add" text="Add endpoint" />}
      />
      <div class="stack">
        <Done flag={done} messages={DONE} />
        <Failures visit={visit} all={all} />
        {isOnlyDemo && (
          <Note>
            <b>So far there is only the demo store:</b> a built-in, made-up shop with eight tables,
            for trying out apps. The first endpoint that you add replaces it at <code>/mcp</code>.
            The demo stays at <code>/mcp/demo</code>. To <a href="/console/add">add an endpoint</a>,
            paste a connection string.
          </Note>
        )}
        {isMany && <Search label="Name or title contains" value={search} />}
        {all.length > 0 ? (
          <div class="panel flush">
            <EndpointTable visit={visit} all={all} />
            {isMany && (
              <Pages path="/console" query={{ search, cursor }} of={of} what="endpoints" />
            )}
          </div>
        ) : (
          <p>No endpoints match.</p>
        )}
        <p class="small dim">
          Days are in UTC.
          {hasConfigured && ' Endpoints from ENDPOINTS or DATABASE_URL can only be changed there.'}
        </p>
      </div>
    </Page>
  )
}

/** Confirmations for changes. */
const DONE = {
  opened: 'The endpoint is on. It answers anyone who has a key.',
  gone: 'Endpoint deleted.',
}

function summary(all: readonly KnownFigures[], total: number): string {
  const sum = (of: 'calls' | 'errors') =>
    all.reduce((count, { figures }) => count + (figures?.[of] ?? 0), 0)
  const [calls, errors] = [sum('calls'), sum('errors')]
  const endpoints = counted(total, 'endpoint')
  // With several pages of endpoints, the calls on other pages are unknown.
  if (total > all.length) return endpoints
  const failed = errors > 0 ? `, ${grouped(errors)} failed` : ''
  return `${endpoints}, ${counted(calls, 'call')} today${failed}`
}
