import type { Child, FC } from 'hono/jsx'
import { Icon, TICK } from '../parts/icon.tsx'
import { endpointCrumbs, Head, Page } from '../parts/page.tsx'
import type { ConsoleVisit } from '../visit.ts'

/** Steps for adding an endpoint, in order. */
const STEPS = {
  string: 'Paste the connection string',
  test: 'Test it',
  role: 'Check the role',
  who: 'Choose who sees what',
  connect: 'Connect',
} as const

export type AddStep = keyof typeof STEPS

const order = Object.keys(STEPS) as AddStep[]

/** A page for adding an endpoint: the steps and their content. */
export const AddPage: FC<{
  readonly visit: ConsoleVisit
  /** Current step. Earlier steps are done. */
  readonly now: AddStep
  /** The endpoint, once the first step has stored it. */
  readonly endpoint?: { readonly name: string; readonly title: string; readonly active?: boolean }
  readonly wide?: boolean
  /** Messages above the steps. */
  readonly above?: Child
  /** Content of the steps. */
  readonly children: Readonly<Partial<Record<AddStep, Child>>>
}> = ({ visit, now, endpoint, wide = false, above, children }) => {
  const title = endpoint ? `Add ${endpoint.title}` : 'Add an endpoint'
  const at = order.indexOf(now)
  return (
    <Page visit={visit} title={title} section="endpoints" slim={!wide}>
      <Head
        title={title}
        about={
          endpoint?.active
            ? 'The endpoint is already on.'
            : 'Nobody has access until the last step.'
        }
        crumbs={endpointCrumbs(endpoint?.name ?? 'new')}
      />
      <div class="stack">
        {above}
        <ol class="gauge">
          {order.map((step, i) => (
            <StepItem
              number={i + 1}
              title={STEPS[step]}
              state={i < at ? 'done' : i === at ? 'now' : undefined}
              href={endpoint && i < at ? hrefOf(endpoint.name, step, now) : undefined}
            >
              {children[step]}
            </StepItem>
          ))}
        </ol>
      </div>
    </Page>
  )
}

/** Path of a step. Once the endpoint is stored, the first three steps share a page. */
export const pathOf = (name: string, step: AddStep): string =>
  `/console/add/${name}${step === 'who' || step === 'connect' ? `/${step}` : ''}`

/** Path of an earlier step, unless it is on this page. */
function hrefOf(name: string, step: AddStep, now: AddStep): string | undefined {
  const path = pathOf(name, step)
  return path === pathOf(name, now) ? undefined : path
}

const StepItem: FC<{
  readonly number: number
  readonly title: string
  readonly state: 'done' | 'now' | undefined
  readonly href: string | undefined
  readonly children: Child
}> = ({ number, title, state, href, children }) => (
  <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
    <span class="step" aria-hidden="true">
      {state === 'done' ? <Icon paths={TICK} /> : number}
    </span>
    <div class="stack">
      <h2>
        {href ? <a href={href}>{title}</a> : title}
        {state === 'done' && <span class="hidden"> (done)</span>}
      </h2>
      {children}
    </div>
  </li>
)
