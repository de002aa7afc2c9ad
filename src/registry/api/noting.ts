import { pause } from '../../ground/index.ts'
import { type ChangeNote, isDone } from '../state/noted-changes.ts'
import type { AskRegistry } from '../state/registry-state.ts'
import type { ApiContext } from './surroundings.ts'

/** Maximum number of attempts to note a change made outside the registry. */
const MAX_TRIES = 3
const PAUSE_MS = 200

/**
 * Runs work that can change something, and notes the change. A change in the registry is noted in the same
 * transaction. If `isAlways`, a change made elsewhere is noted afterward, if the response is a success.
 */
export async function noting(
  note: ChangeNote,
  surroundings: ApiContext,
  isAlways: boolean,
  run: (surroundings: ApiContext) => Promise<Response>,
): Promise<Response> {
  let isNoted = false
  const change: AskRegistry = async (order, input) => {
    // Several orders can make up one change.
    const outcome = await surroundings.change(order, input, isNoted ? undefined : note)
    isNoted ||= isDone(outcome)
    return outcome
  }
  const answer = await run({ ...surroundings, change })
  if (isAlways && !isNoted && answer.ok) await noteLater(note, surroundings)
  return answer
}

async function noteLater(note: ChangeNote, { ask }: ApiContext): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask('noteChange', note)
      return
    } catch (error) {
      // The change is made, so the client gets its result.
      if (tries === MAX_TRIES) return console.error('A change could not be recorded.', note, error)
      await pause(PAUSE_MS)
    }
  }
}

/** The fields in a change, such as `caps, title`. A field with an unusual name is left out: it can be a value. */
export const fieldsOf = (body: object): string =>
  Object.keys(body)
    .filter((it) => FIELD.test(it))
    .sort()
    .join(', ') || 'no field'

const FIELD = /^[a-z][a-zA-Z]{0,30}$/
