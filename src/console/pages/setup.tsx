import type { FC } from 'hono/jsx'
import { isLoopback, version } from '../../ground/index.ts'
import { Copy } from '../parts/copy.tsx'
import { ButtonLink } from '../parts/form.tsx'
import { Icon, TICK } from '../parts/icon.tsx'
import { Layout } from '../parts/layout.tsx'
import { Note } from '../parts/note.tsx'
import { State } from '../parts/state.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { type SetupStep, stepsAt } from '../setup-steps.ts'

/** State of a setting. `faulty`: it is set but cannot be used. `unknown`: the registry did not answer. */
export type StepState = 'set' | 'missing' | 'faulty' | 'unknown'

/** Settings that a deployment still needs. It contains no values. */
export interface SetupState {
  readonly origin: string
  /** True in a Worker, false on Node. */
  readonly isWorker: boolean
  readonly isComplete: boolean
  readonly steps: Readonly<Record<SetupStep['id'], StepState>>
  /** Reason the configured endpoints cannot be read. */
  readonly problem: string | undefined
}

/** `/setup`: steps from a new deployment to a database behind a sign-in. */
export const SetupPage = (state: SetupState) =>
  state.isComplete ? (
    <Layout title="Everything is set" slim>
      <div class="stack">
        <h1 tabindex={-1}>Everything is set</h1>
        <p>
          <a href="/">
            Add <code>{state.origin}/mcp</code> to an app
          </a>
          . For everything else, open <a href="/console">the Console</a>.
        </p>
      </div>
    </Layout>
  ) : (
    <Steps {...state} />
  )

const Steps: FC<SetupState> = ({ origin, isWorker, steps: states, problem }) => {
  const steps = stepsAt(origin, isWorker)
  const open = steps.filter(({ id }) => states[id] !== 'set')
  const title = titleOf(open.length)
  return (
    <Layout title={title} slim script="/assets/setup.js">
      <div class="head">
        <div>
          <h1>{title}</h1>
          <p class="dim">
            For the operator of this deployment. This page shows only whether a setting is set,
            never its value.
          </p>
          <p class="small dim" id="looking" role="status">
            Reload this page to check again.
          </p>
        </div>
      </div>
      <ol class="gauge" id="steps">
        <li class="done">
          <Tick />
          <div class="stack">
            <h2>Deployed</h2>
            <p class="dim">
              Tidegate {version} answers at <code>{origin}</code>.
            </p>
          </div>
        </li>
        {steps.map((step, i) => (
          <StepShown
            step={step}
            number={i + 2}
            state={states[step.id]}
            isNext={step === open[0]}
            isHere={isLoopback(new URL(origin).hostname)}
            hasConsole={states.key === 'set' && states.secret === 'set'}
            isWorker={isWorker}
            problem={step.id === 'database' ? problem : undefined}
          />
        ))}
      </ol>
    </Layout>
  )
}

const titleOf = (open: number): string =>
  `Tidegate is running. ${open === 1 ? 'One step' : `${['', '', 'Two', 'Three', 'Four'][open]} steps`} left.`

const Tick = () => (
  <span class="step" aria-hidden="true">
    <Icon paths={TICK} />
  </span>
)

const StepShown: FC<{
  readonly step: SetupStep
  readonly number: number
  readonly state: StepState
  readonly isNext: boolean
  readonly isHere: boolean
  readonly hasConsole: boolean
  readonly isWorker: boolean
  readonly problem: string | undefined
}> = ({
  step: { id, title, why, ifFaulty, isSet, ways, advice, page },
  number,
  state,
  isNext,
  isHere,
  hasConsole,
  isWorker,
  problem,
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
            <ButtonLink kind="main" href={page.href} text={page.text} />
            <span class="small dim">{page.after}</span>
          </div>
        )}
        {problem ? (
          <p>
            Until it is fixed, nothing is served.{' '}
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
            chosen={isHere && ways.length > 1 ? 1 : 0}
            tabs={ways.map(({ where, lines, after }, i) => ({
              label: where,
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
        {advice && <Note>{advice}</Note>}
      </div>
    </li>
  )

/** Reason a step is not done although its setting is there. Details need the admin key. */
const Fault = ({ state, why }: { readonly state: StepState; readonly why: string | undefined }) => {
  if (state === 'unknown') {
    return (
      <p class="row small">
        <State kind="low" word="Unknown" />
        <span>The registry is not answering. Wait a few seconds.</span>
      </p>
    )
  }
  if (state !== 'faulty') return null
  return (
    <div class="note bad">
      <State kind="bad" word="Set, but not usable" />
      {why && <p>{why}</p>}
    </div>
  )
}
