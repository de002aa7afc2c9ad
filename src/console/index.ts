import { NotFoundPage } from './pages/not-found.tsx'
import { PublicPage, type PublicPlace } from './pages/public.tsx'
import { type FoundRow, RecordPage } from './pages/record.tsx'
import { SetupPage, type SetupState } from './pages/setup.tsx'
import { pageHeaders } from './parts/layout.tsx'

export { asset } from './assets.ts'
export type { PublicPlace } from './pages/public.tsx'
export type { SetupState, StepState } from './pages/setup.tsx'

type Page = { toString(): string | Promise<string> }

const answer = (page: Page, status = 200): Response =>
  new Response(page.toString() as string, { status, headers: pageHeaders })

/** `/`, and an endpoint in a browser. */
export const publicPage = (place: PublicPlace): Response => answer(PublicPage(place))

/** What a deployment still needs: as a page, or for the script of that page. */
export const setupPage = (state: SetupState): Response => answer(SetupPage(state))

/** A row that a search found. */
export const recordPage = (row: FoundRow): Response => answer(RecordPage(row))

/** A wrong path in a browser. */
export const notFoundPage = (url: string): Response => answer(NotFoundPage({ url }), 404)
