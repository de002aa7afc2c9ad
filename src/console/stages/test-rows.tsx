import type { Html } from '../answer.ts'
import { Mends, StageRow } from './stage-row.tsx'
import type { Outcome, Stage } from './tested.ts'

/** The list of stages as it grows. Gives the outcome at the end, if the test got so far. */
export async function* testRows(
  seen: AsyncGenerator<Stage | Outcome>,
  isOneOfSeveral: boolean,
): AsyncGenerator<Html, Outcome | undefined> {
  // A list that is open while its rows arrive cannot be one piece of JSX.
  yield '<div class="panel flush"><ul class="checks" aria-label="Stages of the test">'
  let outcome: Outcome | undefined
  let isBroken = false
  try {
    for await (const it of seen) {
      if ('stage' in it) yield <StageRow stage={it} isOneOfSeveral={isOneOfSeveral} />
      else if ('databases' in it) outcome = it
    }
  } catch (error) {
    console.error(error)
    isBroken = true
  }
  if (outcome) yield <Mends databases={outcome.databases} />
  yield '</ul></div>'
  if (isBroken || !outcome) yield <TestFailed />
  return outcome
}

/** Stands where a test broke off. */
export const TestFailed = () => (
  <div class="note bad" role="alert">
    <p>The test broke off here. Open the page again to look once more.</p>
  </div>
)
