import { pause } from '../background.ts'
import { type ChangeNote, isDone } from '../noted-changes.ts'
import type { AskRegistry } from '../registry-state.ts'
import type { Surroundings } from './surroundings.ts'

/** How often the note of a change is written that was not made in the registry. */
const MAX_TRIES = 3
const PAUSE_MS = 200

/**
 * Does what may change something, and notes the change. One in the registry is noted in the transaction that
 * makes it. `isAlways`: a change elsewhere is noted after it, if the answer says that it was made.
 */
export async function noting(
  note: ChangeNote,
  surroundings: Surroundings,
  isAlways: boolean,
  run: (surroundings: Surroundings) => Promise<Response>,
): Promise<Response> {
  let isNoted = false
  const change: AskRegistry = async (order, input) => {
    // Several orders may be one change.
    const outcome = await surroundings.change(order, input, isNoted ? undefined : note)
    isNoted ||= isDone(outcome)
    return outcome
  }
  const answer = await run({ ...surroundings, change })
  if (isAlways && !isNoted && answer.ok) await noteLater(note, surroundings)
  return answer
}

async function noteLater(note: ChangeNote, { ask }: Surroundings): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask('noteChange', note)
      return
    } catch (error) {
      // The change is made, so its sender hears of that.
      if (tries === MAX_TRIES) return console.error('A change could not be noted.', note, error)
      await pause(PAUSE_MS)
    }
  }
}

/** The names of the fields that a change sends: `caps, title`. Of another name, nothing is told: it may be a value. */
export const fieldsOf = (body: object): string =>
  Object.keys(body)
    .filter((it) => FIELD.test(it))
    .sort()
    .join(', ') || 'no field'

const FIELD = /^[a-z][a-zA-Z]{0,30}$/

/** How many there are: `1 key`, `2 keys`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
