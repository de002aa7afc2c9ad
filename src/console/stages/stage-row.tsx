import { Mend } from '../parts/mend.tsx'
import { StateIcon } from '../parts/state.tsx'
import type { Stage, TestedDatabase } from './tested.ts'

/** One stage of a test: what was seen, how long it took, and what was sent. */
export const StageRow = ({
  stage: { state, sentence, detail, ms, database },
  isOneOfSeveral,
}: {
  readonly stage: Stage
  /** The endpoint has several databases, so each row says which. */
  readonly isOneOfSeveral: boolean
}) => (
  <li>
    <StateIcon kind={state} />
    <span dir="auto">
      <span class="hidden">{WORDS[state]}</span>
      {isOneOfSeveral && <b>{database}: </b>}
      {sentence}
    </span>
    <span class="n">{ms !== undefined && `${ms.toLocaleString('en')} ms`}</span>
    {detail && (
      <details class="small">
        <summary>What was sent and said</summary>
        <pre dir="auto" tabindex={0}>
          {detail}
        </pre>
      </details>
    )}
  </li>
)

const WORDS = { ok: '', low: 'Worth a look: ', bad: 'To mend: ', off: 'Not looked at: ' } as const

/** What mends the databases that did not pass. */
export const Mends = ({ databases }: { readonly databases: readonly TestedDatabase[] }) =>
  databases.map(
    ({ mend, database, ok }, i) =>
      !ok &&
      mend && (
        <li>
          <StateIcon kind="bad" />
          <span dir="auto">
            What to do
            {databases.length > 1 && (
              <>
                {' '}
                about <code>{database}</code>
              </>
            )}
          </span>
          <span class="n" />
          <Mend id={`mend-${i}`} mend={mend} />
        </li>
      ),
  )
