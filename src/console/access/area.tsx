import type { Child, FC } from 'hono/jsx'
import { Head, Page } from '../parts/page.tsx'
import { GROUPS, type ShownGroup } from '../rules/group.ts'
import type { ConsoleVisit } from '../visit.ts'

/** Parts of the Access section. */
const PARTS = {
  keys: { href: '/console/access', text: 'Keys' },
  groups: { href: '/console/access/groups', text: 'Groups' },
  grants: { href: '/console/access/grants', text: 'Grants' },
  signIns: { href: '/console/access/sign-ins', text: 'Sign-ins' },
} as const

/** A page in Access with its part, title and actions. */
export const AccessPage: FC<{
  readonly visit: ConsoleVisit
  readonly part: keyof typeof PARTS
  readonly title: string
  readonly about?: Child
  readonly crumbs?: Child
  readonly action?: Child
  readonly slim?: boolean
  readonly children: Child
}> = ({ visit, part, slim = false, children, ...head }) => (
  <Page visit={visit} title={head.title} section="access" slim={slim}>
    <nav class="sub" aria-label="Access">
      {Object.entries(PARTS).map(([name, { href, text }]) => (
        <a href={href} aria-current={name === part ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
    <Head {...head} />
    <div class="stack far">{children}</div>
  </Page>
)

/** Breadcrumbs below a list in Access: `Keys / Ada`. */
export const crumbsFrom = (part: 'keys' | 'groups', at: string): Child => (
  <>
    <a href={PARTS[part].href}>{PARTS[part].text}</a> / {at}
  </>
)

/** Breadcrumbs for a group's page and the pages below it. */
export const GroupCrumbs: FC<{ readonly group: ShownGroup; readonly children?: Child }> = ({
  group: { name },
  children,
}) => (
  <>
    <a href={GROUPS}>Groups</a> / <a href={`${GROUPS}/${name}`}>{name}</a>
    {children && <> / {children}</>}
  </>
)

/** Explains why nobody can sign in, with a link to the setup. */
export const NoSignIn: FC<{ readonly message: string }> = ({ message }) => (
  <div class="note">
    <p>{message}</p>
    <p>
      <a href="/setup">See what is missing</a>
    </p>
  </div>
)
