import { Copy } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { Layout, VERSION } from '../parts/layout.tsx'
import { State } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type Step, stepsAt } from '../setup-steps.ts'

/** How a setting is. `faulty`: it is there, but cannot be used. `unknown`: nobody could tell just now. */
export type StepState = 'set' | 'missing' | 'faulty' | 'unknown'

/** What a deployment still needs. It holds no value of any setting. */
export interface SetupState {
  readonly origin: string
  /** Whether it runs in a Worker, and not on a machine. */
  readonly isWorker: boolean
  readonly isComplete: boolean
  readonly steps: Readonly<Record<Step['id'], StepState>>
  /** Why the endpoints of the configuration cannot be read, if so. */
  readonly problem: string | undefined
}

/** `/setup`: the steps from a bare deployment to a database behind a sign-in. */
export const SetupPage = ({ origin, isWorker, isComplete, steps, problem }: SetupState) =>
  isComplete ? (
    <Layout title="Everything is set" slim>
      <div class="stack">
        <h1 tabindex={-1}>Everything is set</h1>
        <p>
          Add <code>{origin}/mcp</code> to an app: <a href="/">what this is, and how</a>. Everything
          else is in <a href="/console">the Console</a>.
        </p>
      </div>
    </Layout>
  ) : (
    <Steps origin={origin} isWorker={isWorker} states={steps} problem={problem} />
  )

interface StepsShown {
  readonly origin: string
  readonly isWorker: boolean
  readonly states: SetupState['steps']
  readonly problem: string | undefined
}

const Steps = ({ origin, isWorker, states, problem }: StepsShown) => {
  const steps = stepsAt(origin, isWorker)
  const open = steps.filter(({ id }) => states[id] !== 'set')
  const title = titleOf(open.length)
  return (
    <Layout title={title} slim script="/assets/setup.js">
      <div class="head">
        <div>
          <h1>{title}</h1>
          <p class="dim">
            For whoever runs this deployment. No value of a setting is shown here, only whether it
            is set.
          </p>
          <p class="small dim" id="looking" role="status">
            Reload this page to see what is set by then.
          </p>
        </div>
      </div>
      <ol class="gauge" id="steps">
        <li class="done">
          <Tick />
          <div class="stack">
            <h2>Deployed</h2>
            <p class="dim">
              Tidegate {VERSION} answers at <code>{origin}</code>.
            </p>
          </div>
        </li>
        {steps.map((step, i) => (
          <StepShown
            step={step}
            number={i + 2}
            state={states[step.id]}
            isNext={step === open[0]}
            isHere={LOCAL.test(origin)}
            hasConsole={states.key === 'set' && states.secret === 'set'}
            isWorker={isWorker}
            problem={step.id === 'database' ? problem : undefined}
          />
        ))}
      </ol>
    </Layout>
  )
}

/** Origins of the machine that the browser runs on. */
const LOCAL = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|$)/

const titleOf = (open: number): string =>
  `Your gate stands. ${open === 1 ? 'One step' : `${['', '', 'Two', 'Three', 'Four'][open]} steps`} left.`

const Tick = () => (
  <span class="step" aria-hidden="true">
    <Icon paths={['M3 8.5l3.4 3.4L13 4.6']} />
  </span>
)

const StepShown = ({
  step: { id, title, why, ifFaulty, isSet, ways, advice, page },
  number,
  state,
  isNext,
  isHere,
  hasConsole,
  isWorker,
  problem,
}: {
  readonly step: Step
  readonly number: number
  readonly state: StepState
  readonly isNext: boolean
  readonly isHere: boolean
  readonly hasConsole: boolean
  readonly isWorker: boolean
  readonly problem: string | undefined
}) =>
  state === 'set' ? (
    <li class="done" data-step={id} data-state={state}>
      <Tick />
      <div class="stack">
        <h2 tabindex={-1}>
          {title}
          <span class="hidden"> (done)</span>
        </h2>
        <p class="dim">{isSet}</p>
      </div>
    </li>
  ) : (
    <li
      class={isNext ? 'now' : ''}
      aria-current={isNext ? 'step' : undefined}
      data-step={id}
      data-state={state}
    >
      <span class="step" aria-hidden="true">
        {number}
      </span>
      <div class="stack">
        <h2 tabindex={-1}>{title}</h2>
        {!problem && <p>{why}</p>}
        <Fault state={state} why={problem ?? ifFaulty} />
        {page && hasConsole && !problem && (
          <div class="row">
            <a class="button main" href={page.href}>
              {page.text}
            </a>
            <span class="small dim">{page.after}</span>
          </div>
        )}
        {problem ? (
          <p>
            Until it is mended, nothing is served.{' '}
            {isWorker ? (
              <>
                It was set in wrangler.toml, with <code>npx wrangler secret put</code>, or in
                .dev.vars.
              </>
            ) : (
              <>
                It was set in the environment, or in the file that <code>--vars</code> or{' '}
                <code>--config</code> names.
              </>
            )}
          </p>
        ) : (
          <Tabs
            legend="Where it runs"
            name={id}
            tabs={ways.map(({ where, lines, after }, i) => ({
              label: where,
              isChosen: ways.length === 1 || (i === 1) === isHere,
              children: (
                <>
                  <Copy id={`${id}-lines-${i}`} what="the commands">
                    {lines.join('\n')}
                  </Copy>
                  <p class="small dim">{after}</p>
                </>
              ),
            }))}
          />
        )}
        {advice && (
          <div class="note">
            <p>{advice}</p>
          </div>
        )}
      </div>
    </li>
  )

/** Why a step is not done although something is there. The details are for who has the key. */
const Fault = ({ state, why }: { readonly state: StepState; readonly why: string | undefined }) => {
  if (state === 'unknown') {
    return (
      <p class="row small">
        <State kind="low" word="Not known" />
        <span>The registry does not answer. Wait a few seconds.</span>
      </p>
    )
  }
  if (state !== 'faulty') return null
  return (
    <div class="note bad">
      <State kind="bad" word="It is set, but it cannot be used" />
      {why && <p>{why}</p>}
    </div>
  )
}
