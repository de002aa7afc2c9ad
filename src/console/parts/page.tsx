import type { Child, FC } from 'hono/jsx'
import type { ConsoleVisit } from '../visit.ts'
import { CopyButton } from './copy.tsx'
import { Form, Submit } from './form.tsx'
import { Layout, type LayoutProps } from './layout.tsx'

/** Sections in the header. */
const SECTIONS = {
  endpoints: { href: '/console', text: 'Endpoints' },
  activity: { href: '/console/activity', text: 'Activity' },
  access: { href: '/console/access', text: 'Access' },
  doctor: { href: '/console/doctor', text: 'Doctor' },
  settings: { href: '/console/settings', text: 'Settings' },
} as const

/** Tabs for an endpoint. */
const TABS = {
  schema: 'Schema',
  workbench: 'Workbench',
  activity: 'Activity',
  access: 'Access',
  settings: 'Settings',
} as const

interface PageProps extends Pick<LayoutProps, 'title' | 'slim' | 'script' | 'children'> {
  readonly visit: ConsoleVisit
  readonly section: keyof typeof SECTIONS
}

/** A page in the Console. Its header shows the section and the signed-in person. */
export const Page: FC<PageProps> = ({ visit, section, ...rest }) => (
  <Layout
    {...rest}
    home="/console"
    proofHash={visit.proofHash}
    bar={<Bar visit={visit} section={section} />}
  />
)

const Bar: FC<Pick<PageProps, 'visit' | 'section'>> = ({ visit, section }) => (
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
        <Submit kind="little" text="Sign out" />
      </Form>
    </div>
  </>
)

/** Head of a page: breadcrumbs, title, a note and actions. */
export const Head: FC<{
  readonly title: Child
  readonly about?: Child
  readonly crumbs?: Child
  readonly action?: Child
}> = ({ title, about, crumbs, action }) => (
  <div class="head">
    <div>
      {crumbs && <Crumbs>{crumbs}</Crumbs>}
      <h1 dir="auto">{title}</h1>
      {about && <p class="dim">{about}</p>}
    </div>
    {action && <div class="row">{action}</div>}
  </div>
)

/** Breadcrumbs above a title. */
export const Crumbs: FC<{ readonly children: Child }> = ({ children }) => (
  <nav class="crumbs" aria-label="You are here">
    {children}
  </nav>
)

/** Breadcrumbs for an endpoint. */
export const endpointCrumbs = (name: string): Child => (
  <>
    <a href="/console">Endpoints</a> / {name}
  </>
)

/** A page for an endpoint, with its title, URL and tabs. */
export const EndpointPage: FC<
  Omit<PageProps, 'section'> & {
    readonly endpoint: { readonly name: string; readonly title: string }
    readonly tab: keyof typeof TABS
    /** Content under the title, such as the state. */
    readonly under?: Child
  }
> = ({ visit, endpoint: { name, title }, tab, under, children, ...rest }) => (
  <Page {...rest} visit={visit} section="endpoints">
    <div class="head">
      <div>
        <Crumbs>{endpointCrumbs(name)}</Crumbs>
        <h1 dir="auto">{title}</h1>
        {under}
      </div>
      <div>
        <div class="copy">
          <code id="endpoint-url">
            {visit.origin}/mcp/{name}
          </code>
          <CopyButton id="endpoint-url" label="Copy the URL" />
        </div>
      </div>
    </div>
    <nav class="sub" aria-label={title}>
      {Object.entries(TABS).map(([key, text]) => (
        <a
          href={`/console/endpoints/${name}/${key}`}
          aria-current={key === tab ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
    {children}
  </Page>
)
