import type { FC } from 'hono/jsx'
import { Hono } from 'hono/tiny'
import { access, endpointAccess } from './access/index.tsx'
import { activity, endpointActivity } from './activity/index.tsx'
import { add } from './add/index.tsx'
import { answer, seeOther } from './answer.ts'
import { doctor } from './doctor/index.tsx'
import { endpoints } from './endpoints/index.tsx'
import { Page } from './parts/page.tsx'
import { schema } from './schema/index.tsx'
import { settings } from './settings/deployment.tsx'
import { endpointSettings } from './settings/endpoint-settings.tsx'
import { type ConsoleVisit, NotFound } from './visit.ts'
import { workbench } from './workbench/index.tsx'

/** The sections of the Console. */
export const routes = new Hono<{ Bindings: ConsoleVisit }>()
  .basePath('/console')
  .route('/', endpoints)
  .route('/add', add)
  .route('/endpoints/:name/schema', schema)
  .route('/endpoints/:name/workbench', workbench)
  .route('/endpoints/:name/activity', endpointActivity)
  .route('/endpoints/:name/access', endpointAccess)
  .route('/endpoints/:name/settings', endpointSettings)
  .get('/endpoints/:name', (c) =>
    seeOther(`/console/endpoints/${encodeURIComponent(c.req.param('name'))}/schema`),
  )
  .route('/activity', activity)
  .route('/access', access)
  .route('/doctor', doctor)
  .route('/settings', settings)
  .notFound((c) => answer(<FaultPage visit={c.env} title="Page not found" text={NOTHING} />, 404))
  .onError((error, c) => {
    if (error instanceof NotFound) {
      return answer(<FaultPage visit={c.env} title="Not found" text={error.message} />, 404)
    }
    console.error(error)
    return answer(<FaultPage visit={c.env} title="Something went wrong" text={FAILED} />, 500)
  })

const NOTHING = 'The Console has no page at this address.'
const FAILED = 'The page failed to load. Try again. If it keeps failing, check the log.'

const FaultPage: FC<{
  readonly visit: ConsoleVisit
  readonly title: string
  readonly text: string
}> = ({ visit, title, text }) => (
  <Page visit={visit} title={title} section="endpoints" slim>
    <h1>{title}</h1>
    <p>{text}</p>
    <p>
      <a href="/console">All endpoints</a>
    </p>
  </Page>
)
