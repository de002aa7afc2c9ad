import type { FC } from 'hono/jsx'
import type { HtmlChunk } from '../answer.ts'
import { CheckRow } from '../parts/check-row.tsx'
import { Fix } from '../parts/fix.tsx'
import { Note } from '../parts/note.tsx'
import { State } from '../parts/state.tsx'
import type { TestOutcome, TestStage } from './tested.ts'

/** Streams the list of stages. Returns the outcome if the test finished. */
export async function* testRows(
  seen: AsyncGenerator<TestStage | TestOutcome>,
  isOneOfSeveral: boolean,
): AsyncGenerator<HtmlChunk, TestOutcome | undefined> {
  // JSX cannot leave a list open while its rows arrive.
  yield '<div class="panel flush"><ul class="checks" aria-label="Test stages">'
  let outcome: TestOutcome | undefined
  try {
    for await (const it of seen) {
      if ('stage' in it) yield <StageRow stage={it} isOneOfSeveral={isOneOfSeveral} />
      else outcome = it
    }
  } catch (error) {
    console.error(error)
  }
  if (outcome) yield <Fixes outcome={outcome} />
  yield '</ul></div>'
  if (!outcome) yield <TestFailed />
  return outcome
}

/** Message where a test was cut off. */
export const TestFailed = () => (
  <Note kind="bad" role="alert">
    The test was cut off here. Reload the page to run it again.
  </Note>
)

/** Outcome of a test. */
export const Verdict = ({ outcome: { ok, databases } }: { readonly outcome: TestOutcome }) => {
  const mayMore = databases.some(({ findings = [] }) =>
    findings.some(({ severity }) => severity === 'high'),
  )
  return (
    <p role="status">
      {!ok ? (
        <State kind="bad" word="Failed" />
      ) : mayMore ? (
        <State kind="low" word="Works, with warnings" />
      ) : (
        <State kind="ok" word="All checks passed" />
      )}
    </p>
  )
}

const StageRow: FC<{
  readonly stage: TestStage
  /** True if the endpoint has several databases, so that each row names its own. */
  readonly isOneOfSeveral: boolean
}> = ({ stage: { state, sentence, detail, ms, database }, isOneOfSeveral }) => (
  <CheckRow
    state={state}
    ms={ms}
    sentence={
      <>
        {isOneOfSeveral && <b>{database}: </b>}
        {sentence}
      </>
    }
    below={
      detail && (
        <details class="small">
          <summary>Details</summary>
          <pre dir="auto" tabindex={0}>
            {detail}
          </pre>
        </details>
      )
    }
  />
)

/** Fixes for the databases that failed. */
const Fixes: FC<{ readonly outcome: TestOutcome }> = ({ outcome: { databases } }) => (
  <>
    {databases.map(
      ({ fix, database, ok }, i) =>
        !ok &&
        fix && (
          <CheckRow
            state="bad"
            sentence={
              databases.length > 1 ? (
                <>
                  What to do about <code>{database}</code>
                </>
              ) : (
                'What to do'
              )
            }
            below={<Fix id={`fix-${i}`} fix={fix} />}
          />
        ),
    )}
  </>
)
