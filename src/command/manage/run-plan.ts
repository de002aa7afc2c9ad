// Prints a plan, and carries it out only if allowed.
import { hasNoSecret, whereOf } from '../database-url.ts'
import { type Choices, NOT_DONE } from '../terminal/output.ts'
import { plain } from '../terminal/table.ts'
import type { ChangedField, PlannedChange } from './plan.ts'

/**
 * Prints the changes, and makes them if the command was given --yes.
 * @param carryOut makes the changes, and returns how many were made
 * @param remarks lines about entries that stay
 * @returns the exit code
 */
export async function runPlan(
  { yes, json }: Choices,
  changes: readonly PlannedChange[],
  carryOut: () => Promise<number>,
  remarks: readonly string[] = [],
): Promise<number> {
  const say = json ? () => {} : (line: string) => console.log(line)
  for (const it of changes) say(textOf(it))
  for (const it of remarks) say(it)
  say(sumOf(changes))
  const made = yes && changes.length > 0 ? await carryOut() : 0
  if (json) console.log(JSON.stringify({ changes: changes.map(shownChange), made }, null, 2))
  if (made === changes.length) {
    if (made > 0) say('Done.')
    return 0
  }
  if (yes) return 1
  say('Nothing was changed. To make these changes, add --yes.')
  return NOT_DONE
}

const MARKS = { add: '+', change: '~', remove: '-' }

function textOf({ action, kind, name, fields }: PlannedChange): string {
  const lines = fields.map(({ field, from, to }) => {
    const values = action === 'add' ? [to] : [from, to]
    return `    ${field}: ${values.map((it) => textOfValue(field, it)).join(' → ')}`
  })
  return [`${MARKS[action]} ${kind} ${name}`, ...lines].map(plain).join('\n')
}

const textOfValue = (field: string, value: unknown): string =>
  value === undefined ? '(none)' : JSON.stringify(shownValue(field, value))

const shownChange = ({ action, kind, name, fields }: PlannedChange) => ({
  action,
  kind,
  name,
  fields: fields.map(
    ({ field, from, to }): ChangedField => ({
      field,
      from: shownValue(field, from),
      to: shownValue(field, to),
    }),
  ),
})

/** A value without its secrets. */
function shownValue(field: string, value: unknown): unknown {
  if (value === undefined) return undefined
  if (/(?:^|\.)url$/.test(field) && typeof value === 'string')
    return hasNoSecret(value) ? value : whereOf(value)
  // A connection string could be in the wrong place.
  return JSON.parse(JSON.stringify(value).replace(/(?<=:\/\/)[^\s"]*@/g, '…@'))
}

function sumOf(changes: readonly PlannedChange[]): string {
  const sum = (action: PlannedChange['action']) =>
    changes.filter((it) => it.action === action).length
  if (changes.length === 0) return 'Everything already matches the file.'
  return `${sum('add')} to add, ${sum('change')} to change, ${sum('remove')} to remove.`
}
