import { version } from '../../ground/index.ts'
import { backupRoutes } from './backup.ts'
import { changeRoutes } from './changes.ts'
import { connectionStringRoutes } from './connection-strings.ts'
import { credentialRoutes } from './credentials.ts'
import { doctorRoutes } from './doctor.ts'
import { endpointTestRoutes } from './endpoint-test.ts'
import { endpointRoutes } from './endpoints.ts'
import { answer } from './fault.ts'
import { groupRoutes } from './groups.ts'
import { keyRoutes } from './keys.ts'
import { previewRoutes } from './preview.ts'
import { questionRoutes } from './questions.ts'
import { recordRoutes } from './records.ts'
import { application, type Route, route } from './route.ts'
import { schemaRoutes } from './schema.ts'
import { settingsRoutes } from './settings.ts'
import { signInRoutes } from './sign-ins.ts'
import { statisticsRoutes } from './statistics.ts'
import type { ApiContext } from './surroundings.ts'

export type { ApiContext, CandidateEndpoint } from './surroundings.ts'

/** Every route of the API, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...endpointRoutes(),
  ...endpointTestRoutes(),
  ...previewRoutes(),
  ...schemaRoutes(),
  ...questionRoutes(),
  ...connectionStringRoutes(),
  ...keyRoutes(),
  ...groupRoutes(),
  ...signInRoutes(),
  ...recordRoutes(),
  ...statisticsRoutes(),
  ...changeRoutes(),
  ...settingsRoutes(),
  ...credentialRoutes(),
  ...doctorRoutes(),
  ...backupRoutes(),
  route('get', '/api/openapi.json', {
    summary: 'This document.',
    answers: [200, 'An OpenAPI 3.1 document.'],
    async run() {
      const { documentOf } = await import('./openapi.ts')
      return answer(documentOf(routes, version))
    },
  }),
]

const app = application(routes)

/** Answers a request from the operator. */
export const serveApi = async (request: Request, surroundings: ApiContext): Promise<Response> =>
  app.fetch(request, surroundings)
