import type { Child } from 'hono/jsx'
import { Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

/** The parts of Access. */
const PARTS = {
  keys: { href: '/console/access', text: 'Keys' },
  groups: { href: '/console/access/groups', text: 'Groups' },
  grants: { href: '/console/access/grants', text: 'Grants' },
  signIns: { href: '/console/access/sign-ins', text: 'Sign-ins' },
} as const

/** The part that a page is of. */
export type AccessPart = keyof typeof PARTS

/** A page of Access: which part it is of, what it is called, and what can be done there. */
export const AccessPage = ({
  visit,
  part,
  title,
  about,
  crumbs,
  action,
  slim = false,
  children,
}: {
  readonly visit: Visit
  readonly part: AccessPart
  readonly title: string
  readonly about?: Child
  readonly crumbs?: Child
  readonly action?: Child
  readonly slim?: boolean
  readonly children: Child
}) => (
  <Page visit={visit} title={title} section="access" slim={slim}>
    <nav class="sub" aria-label="Access">
      {Object.entries(PARTS).map(([name, { href, text }]) => (
        <a href={href} aria-current={name === part ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
    <div class="head">
      <div>
        {crumbs && (
          <nav class="crumbs" aria-label="You are here">
            {crumbs}
          </nav>
        )}
        <h1 dir="auto">{title}</h1>
        {about && <p class="dim">{about}</p>}
      </div>
      {action && <div class="row">{action}</div>}
    </div>
    <div class="stack far">{children}</div>
  </Page>
)
