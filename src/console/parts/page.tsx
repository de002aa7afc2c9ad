import type { Child } from 'hono/jsx'
import type { Visit } from '../visit.ts'
import { Form } from './form.tsx'
import { Layout } from './layout.tsx'

/** The sections of the bar. */
const SECTIONS = {
  endpoints: { href: '/console', text: 'Endpoints' },
  activity: { href: '/console/activity', text: 'Activity' },
  access: { href: '/console/access', text: 'Access' },
  doctor: { href: '/console/doctor', text: 'Doctor' },
  settings: { href: '/console/settings', text: 'Settings' },
} as const

/** The tabs of an endpoint. */
const TABS = {
  schema: 'Schema',
  workbench: 'Workbench',
  activity: 'Activity',
  access: 'Access',
  settings: 'Settings',
} as const

export type Section = keyof typeof SECTIONS
export type EndpointTab = keyof typeof TABS

/** A page of the Console: the bar says where one is, and who is signed in. */
export const Page = ({
  visit,
  title,
  section,
  slim = false,
  script,
  children,
}: {
  readonly visit: Visit
  readonly title: string
  readonly section: Section
  readonly slim?: boolean
  readonly script?: string | undefined
  readonly children: Child
}) => (
  <Layout
    title={title}
    slim={slim}
    script={script}
    home="/console"
    bar={<Bar visit={visit} section={section} />}
  >
    {children}
  </Layout>
)

const Bar = ({ visit, section }: { readonly visit: Visit; readonly section: Section }) => (
  <>
    <nav aria-label="Console">
      {Object.entries(SECTIONS).map(([name, { href, text }]) => (
        <a href={href} aria-current={name === section ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
    <div class="who">
      <span dir="auto">{visit.operator}</span>
      <Form visit={visit} action="/signout">
        <input type="hidden" name="question" value="/signin/operator?" />
        <button class="button little" type="submit">
          Sign out
        </button>
      </Form>
    </div>
  </>
)

/** The second row within an endpoint. */
export const EndpointTabs = ({
  name,
  title,
  tab,
}: {
  readonly name: string
  readonly title: string
  readonly tab: EndpointTab
}) => (
  <nav class="sub" aria-label={title}>
    {Object.entries(TABS).map(([key, text]) => (
      <a href={`/console/endpoints/${name}/${key}`} aria-current={key === tab ? 'page' : undefined}>
        {text}
      </a>
    ))}
  </nav>
)

/** The head of a page within an endpoint: where one is, what it is called, and its tabs. */
export const EndpointHead = ({
  visit,
  endpoint,
  tab,
  children,
}: {
  readonly visit: Visit
  readonly endpoint: { readonly name: string; readonly title: string }
  readonly tab: EndpointTab
  /** What stands under the title, such as its state. */
  readonly children?: Child
}) => (
  <>
    <div class="head">
      <div>
        <nav class="crumbs" aria-label="You are here">
          <a href="/console">Endpoints</a> / {endpoint.name}
        </nav>
        <h1 dir="auto">{endpoint.title}</h1>
        {children}
      </div>
      <div>
        <div class="copy">
          <code id="endpoint-url">
            {visit.origin}/mcp/{endpoint.name}
          </code>
          <button
            class="button little"
            type="button"
            data-copy="endpoint-url"
            aria-label="Copy the URL"
          >
            Copy
          </button>
        </div>
      </div>
    </div>
    <EndpointTabs name={endpoint.name} title={endpoint.title} tab={tab} />
  </>
)
