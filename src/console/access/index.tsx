import { Hono } from 'hono/tiny'
import type { ConsoleVisit } from '../visit.ts'
import { grants } from './grants.tsx'
import { groups } from './groups.tsx'
import { keys } from './keys.tsx'
import { rules } from './rules.tsx'
import { signIns } from './sign-ins.tsx'

export { endpointAccess } from './endpoint-access.tsx'

/** `/console/access`: keys, groups, grants and sign-ins. */
export const access = new Hono<{ Bindings: ConsoleVisit }>()
  .route('/groups/:name/endpoints/:endpoint', rules)
  .route('/groups', groups)
  .route('/grants', grants)
  .route('/sign-ins', signIns)
  .route('/', keys)
