import type { Child, FC } from 'hono/jsx'
import type { FormDraft } from '../parts/draft.ts'
import type { ShownEndpoint } from '../parts/endpoint.ts'
import { Problem } from '../parts/field.tsx'
import { Head, Page } from '../parts/page.tsx'
import type { ConsoleVisit } from '../visit.ts'

/** Path of an endpoint's settings. */
export const pathOf = ({ name }: ShownEndpoint): string => `/console/endpoints/${name}/settings`

/** A page below an endpoint's settings, with a form. */
export const SettingsPage: FC<{
  readonly visit: ConsoleVisit
  readonly endpoint: ShownEndpoint
  /** Its last breadcrumb. */
  readonly at: string
  readonly title: string
  /** Defaults to the title. */
  readonly heading?: string
  readonly about?: Child
  readonly draft: FormDraft
  readonly children: Child
}> = ({ visit, endpoint, at, title, heading = title, about, draft, children }) => (
  <Page visit={visit} title={title} section="endpoints" slim>
    <Head
      title={heading}
      about={about}
      crumbs={
        <>
          <a href="/console">Endpoints</a> / <a href={pathOf(endpoint)}>{endpoint.name}</a> / {at}
        </>
      }
    />
    <div class="stack far">
      <Problem draft={draft} />
      {children}
    </div>
  </Page>
)
