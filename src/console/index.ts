import { answer } from './answer.ts'
import { NotFoundPage } from './pages/not-found.tsx'
import { PublicPage, type PublicPlace } from './pages/public.tsx'
import { type FoundRow, RecordPage } from './pages/record.tsx'
import { SetupPage, type SetupState } from './pages/setup.tsx'
import type { ConsoleVisit } from './visit.ts'

export { asset } from './assets.ts'
export type { PublicPlace } from './pages/public.tsx'
export type { SetupState, StepState } from './pages/setup.tsx'
export { OPERATOR_KEY, PROOF } from './proof.ts'

export type { ConsoleVisit, RpcAnswer } from './visit.ts'

/** Serves a page of the Console to an operator. The first request loads its code. */
export const consoleRoutes = async (request: Request, visit: ConsoleVisit): Promise<Response> =>
  (await import('./app.tsx')).routes.fetch(request, visit)

/** `/`, and an endpoint in a browser. */
export const publicPage = (place: PublicPlace): Response => answer(PublicPage(place))

/** `/setup`: the settings that the deployment still needs. */
export const setupPage = (state: SetupState): Response => answer(SetupPage(state))

/** Page for a row that a search found. */
export const recordPage = (row: FoundRow): Response => answer(RecordPage(row))

/** Page for a wrong path in a browser. */
export const notFoundPage = (url: string): Response => answer(NotFoundPage({ url }), 404)

/** The page that asks for the admin key, because a form has no proof. */
export const proofPage = async (visit: ConsoleVisit, action: string): Promise<Response> => {
  const { ProofPage } = await import('./pages/proof.tsx')
  return answer(ProofPage({ visit, action }), 403)
}
