import type { Child } from 'hono/jsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import type { Visit } from '../visit.ts'

/** The steps by which an endpoint is added, in their order. */
export const STEPS = {
  string: 'Paste the connection string',
  test: 'Test it',
  role: 'Let the role only read',
  who: 'Who may see what',
  connect: 'Connect',
} as const

export type Step = keyof typeof STEPS

const order = Object.keys(STEPS) as Step[]

/** A page of the way by which an endpoint is added: the steps, and what stands in each. */
export const AddPage = ({
  visit,
  now,
  endpoint,
  wide = false,
  above,
  children,
}: {
  readonly visit: Visit
  /** The step that this page is for. Those before it are done. */
  readonly now: Step
  /** What was stored by the first step. */
  readonly endpoint?: { readonly name: string; readonly title: string; readonly active?: boolean }
  readonly wide?: boolean
  /** What was done, above the steps. */
  readonly above?: Child
  /** What stands in each step. */
  readonly children: Readonly<Partial<Record<Step, Child>>>
}) => (
  <Page
    visit={visit}
    title={endpoint ? `Add ${endpoint.title}` : 'Add an endpoint'}
    section="endpoints"
    slim={!wide}
  >
    <div class="head">
      <div>
        <nav class="crumbs" aria-label="You are here">
          <a href="/console">Endpoints</a> / {endpoint?.name ?? 'new'}
        </nav>
        <h1 dir="auto">{endpoint ? `Add ${endpoint.title}` : 'Add an endpoint'}</h1>
        <p class="dim">
          {endpoint?.active
            ? 'It is open already.'
            : 'Nothing is open to anybody before the last step.'}
        </p>
      </div>
    </div>
    <div class="stack">
      {above}
      <ol class="gauge">
        {order.map((step, i) => (
          <StepItem
            number={i + 1}
            title={STEPS[step]}
            state={stateOf(i, order.indexOf(now))}
            href={endpoint && i < order.indexOf(now) ? hrefOf(endpoint.name, step, now) : undefined}
          >
            {children[step]}
          </StepItem>
        ))}
      </ol>
    </div>
  </Page>
)

/** Where a step of an endpoint is. The first has none of its own once the endpoint is stored. */
export const pathOf = (name: string, step: Step): string =>
  `/console/add/${name}${step === 'who' || step === 'connect' ? `/${step}` : ''}`

/** Where an earlier step is, unless that is this page. */
function hrefOf(name: string, step: Step, now: Step): string | undefined {
  const path = pathOf(name, step)
  return path === pathOf(name, now) ? undefined : path
}

type StepState = 'done' | 'now' | undefined

const stateOf = (step: number, now: number): StepState =>
  step < now ? 'done' : step === now ? 'now' : undefined

const StepItem = ({
  number,
  title,
  state,
  href,
  children,
}: {
  readonly number: number
  readonly title: string
  readonly state: StepState
  readonly href: string | undefined
  readonly children: Child
}) => (
  <li class={state} aria-current={state === 'now' ? 'step' : undefined}>
    <span class="step" aria-hidden="true">
      {state === 'done' ? <Icon paths={['M3 8.5l3.4 3.4L13 4.6']} /> : number}
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
