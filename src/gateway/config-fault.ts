import type * as z from 'zod/mini'

type Issue = z.core.$ZodIssue

/** Faults in one message. */
const MAX_FAULTS = 10

/**
 * Says what is wrong with a configuration, for the operator to read: where, what, and what to write.
 * It repeats names of fields and endpoints, but no values.
 */
export function configFaults({ issues }: z.core.$ZodError, value: unknown): string {
  const faults = issues.flatMap((it) => faultsOf(it, [], value))
  const more = faults.length > MAX_FAULTS ? [`There are ${faults.length - MAX_FAULTS} more.`] : []
  return [...faults.slice(0, MAX_FAULTS), ...more].join('\n')
}

function faultsOf(issue: Issue, above: readonly PropertyKey[], root: unknown): string[] {
  const path = [...above, ...issue.path]
  const value = at(root, path)
  if (issue.code === 'invalid_union') {
    // The value may be one of several things. Only the faults of the intended one are shown.
    const isOther = ({ code, path }: Issue) =>
      path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
    const meant = issue.errors.find((issues) => !issues.some(isOther))
    if (meant) return meant.flatMap((it) => faultsOf(it, path, root))
  }
  const where = placeOf(path, root)
  const field = String(path.at(-1) ?? '')
  if (value === undefined && path.length > 1) {
    const example = examples[field] ?? '…'
    return [
      `${placeOf(path.slice(0, -1), root)} has no ${named(field)}. Add "${named(field)}": ${example}.`,
    ]
  }
  return [`${where} ${wrong(issue, value)}`]
}

/** What to write in the fields that are required. */
const examples: Readonly<Record<string, string>> = {
  name: '"shop"',
  title: '"Web shop"',
  databases: '{ "shop": { "url": "secret:SHOP_URL" } }',
  url: '"secret:SHOP_URL"',
}

function wrong(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `is ${kindOf(value)}: expected ${issue.expected === 'int' ? 'a whole number' : issue.expected}.`
    case 'too_small':
    case 'too_big': {
      const least = issue.code === 'too_small'
      const bound = least ? issue.minimum : issue.maximum
      const what = units[issue.origin] ?? ''
      return `must ${what ? 'have' : 'be'} at ${least ? 'least' : 'most'} ${bound}${what}.`
    }
    case 'invalid_value':
      return `must be one of ${issue.values.map((it) => JSON.stringify(it)).join(', ')}.`
    case 'unrecognized_keys':
      return `has an unknown field: ${issue.keys.slice(0, 5).map(named).join(', ')}. Remove it, or check its spelling.`
    case 'invalid_union':
      return `is ${kindOf(value)}, which is not allowed here.`
    default:
      return `${issue.message}.`
  }
}

const units: Readonly<Record<string, string>> = {
  string: ' characters',
  array: ' entries',
}

/** Where a value is: `Endpoint 1 ("shop"): databases.shop.url`. */
function placeOf([index, ...path]: readonly PropertyKey[], root: unknown): string {
  if (index === undefined) return 'ENDPOINTS'
  const name = at(root, [index, 'name'])
  const label = typeof name === 'string' && NAME.test(name) ? ` ("${name}")` : ''
  const steps = path.map((it) => (typeof it === 'number' ? `[${it}]` : `.${named(String(it))}`))
  const inside = steps.join('').replace(/^\./, '')
  return `Endpoint ${Number(index) + 1}${label}${inside && `: ${inside}`}`
}

const NAME = /^[\w-]{1,60}$/

/** A name, unless it could be a secret. */
const named = (it: string) => (NAME.test(it) ? it : '…')

const kindOf = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `of type ${typeof value}`

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    const isHolder = typeof found === 'object' && found !== null && Object.hasOwn(found, key)
    found = isHolder ? (found as Record<PropertyKey, unknown>)[key] : undefined
  }
  return found
}
