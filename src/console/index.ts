import { answer } from './answer.ts'
import { NotFoundPage } from './pages/not-found.tsx'
import { PublicPage, type PublicPlace } from './pages/public.tsx'
import { type FoundRow, RecordPage } from './pages/record.tsx'
import { SetupPage, type SetupState } from './pages/setup.tsx'
import type { Visit } from './visit.ts'

export { asset } from './assets.ts'
export type { PublicPlace } from './pages/public.tsx'
export type { SetupState, StepState } from './pages/setup.tsx'

export type { RpcAnswer, Visit } from './visit.ts'

/** Serves a page of the Console to an operator. Its code is read by the first of them. */
export const consoleRoutes = async (request: Request, visit: Visit): Promise<Response> =>
  (await import('./app.tsx')).routes.fetch(request, visit)

/** `/`, and an endpoint in a browser. */
export const publicPage = (place: PublicPlace): Response => answer(PublicPage(place))

/** What a deployment still needs: as a page, or for the script of that page. */
export const setupPage = (state: SetupState): Response => answer(SetupPage(state))

/** A row that a search found. */
export const recordPage = (row: FoundRow): Response => answer(RecordPage(row))

/** A wrong path in a browser. */
export const notFoundPage = (url: string): Response => answer(NotFoundPage({ url }), 404)
