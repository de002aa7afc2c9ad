// Prints a plan, and carries it out only if it may.
import { hasNoSecret, whereOf } from './database-url.mjs'
import { NOT_DONE } from './output.mjs'
import { plain } from './table.mjs'

/**
 * Prints what would change, and changes it if the command was given --yes.
 * @param carryOut makes the changes, and says how many of them were made
 * @param remarks lines about what stays
 * @returns the exit code
 */
export async function runPlan({ yes, json }, changes, carryOut, remarks = []) {
  const say = json ? () => {} : console.log
  for (const it of changes) say(textOf(it))
  for (const it of remarks) say(it)
  say(sumOf(changes))
  const made = yes && changes.length > 0 ? await carryOut() : 0
  if (json) console.log(JSON.stringify({ changes: changes.map(shownChange), made }, null, 2))
  if (made === changes.length) return made > 0 ? say('Done.') : 0
  if (yes) return 1
  say('Nothing was changed. To do it, add --yes.')
  return NOT_DONE
}

const MARKS = { add: '+', change: '~', remove: '-' }

function textOf({ action, kind, name, fields }) {
  const lines = fields.map(({ field, from, to }) => {
    const values = action === 'add' ? [to] : [from, to]
    return `    ${field}: ${values.map((it) => textOfValue(field, it)).join(' → ')}`
  })
  return [`${MARKS[action]} ${kind} ${name}`, ...lines].map(plain).join('\n')
}

const textOfValue = (field, value) =>
  value === undefined ? '(none)' : JSON.stringify(shownValue(field, value))

const shownChange = ({ action, kind, name, fields }) => ({
  action,
  kind,
  name,
  fields: fields.map(({ field, from, to }) => ({
    field,
    from: shownValue(field, from),
    to: shownValue(field, to),
  })),
})

/** A value without the secrets in it. */
function shownValue(field, value) {
  if (value === undefined) return undefined
  const isUrl = /(?:^|\.)url$/.test(field) && typeof value === 'string'
  if (isUrl) return hasNoSecret(value) ? value : whereOf(value)
  // A connection string may be in the wrong place.
  return JSON.parse(JSON.stringify(value).replace(/(?<=:\/\/)[^\s"]*@/g, '…@'))
}

function sumOf(changes) {
  const sum = (action) => changes.filter((it) => it.action === action).length
  if (changes.length === 0) return 'Everything is as the file has it.'
  return `${sum('add')} to add, ${sum('change')} to change, ${sum('remove')} to remove.`
}
