import { Hono } from 'hono/tiny'
import { access, endpointAccess } from './access/index.tsx'
import { activity, endpointActivity } from './activity/index.tsx'
import { add } from './add/index.tsx'
import { answer, seeOther } from './answer.ts'
import { doctor } from './doctor/index.tsx'
import { endpoints } from './endpoints/index.tsx'
import { FaultPage } from './pages/fault.tsx'
import { NotThere } from './parts/endpoint.ts'
import { schema } from './schema/index.tsx'
import { endpointSettings, settings } from './settings/index.tsx'
import type { Visit } from './visit.ts'
import { workbench } from './workbench/index.tsx'

/** The sections of the Console. */
export const routes = new Hono<{ Bindings: Visit }>()
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
  .notFound((c) => answer(<FaultPage visit={c.env} title="Nothing here" text={NOTHING} />, 404))
  .onError((error, c) => {
    if (error instanceof NotThere) {
      return answer(<FaultPage visit={c.env} title="Not there" text={error.message} />, 404)
    }
    console.error(error)
    return answer(<FaultPage visit={c.env} title="This did not work" text={FAILED} />, 500)
  })

const NOTHING = 'The Console has no such page.'
const FAILED = 'The page failed here. Try again. If it goes on, look into the log.'
