import { Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

/** Says what did not work in the Console, and where to go on. */
export const FaultPage = ({
  visit,
  title,
  text,
}: {
  readonly visit: Visit
  readonly title: string
  readonly text: string
}) => (
  <Page visit={visit} title={title} section="endpoints" slim>
    <h1>{title}</h1>
    <p>{text}</p>
    <p>
      <a href="/console">All endpoints</a>
    </p>
  </Page>
)
