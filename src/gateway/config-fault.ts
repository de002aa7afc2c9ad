import type * as z from 'zod/mini'

type Issue = z.core.$ZodIssue

/** Faults that are told at once. */
const MOST = 10

/**
 * What is wrong with a value of the configuration, for the operator to read: where, what, and what to
 * write. It repeats names that may stand there, and no values.
 */
export function configFaults({ issues }: z.core.$ZodError, value: unknown): string {
  const faults = issues.flatMap((it) => faultsOf(it, [], value))
  const more = faults.length > MOST ? [`There are ${faults.length - MOST} more.`] : []
  return [...faults.slice(0, MOST), ...more].join('\n')
}

function faultsOf(issue: Issue, above: readonly PropertyKey[], root: unknown): string[] {
  const path = [...above, ...issue.path]
  const value = at(root, path)
  if (issue.code === 'invalid_union') {
    // Of what it may be: what it is meant to be.
    const isOther = ({ code, path }: Issue) =>
      path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
    const meant = issue.errors.find((them) => !them.some(isOther))
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

/** What stands in fields that have to be there. */
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

/** The place of a value: `Endpoint 1 ("shop"): databases.shop.url`. */
function placeOf([index, ...path]: readonly PropertyKey[], root: unknown): string {
  if (index === undefined) return 'ENDPOINTS'
  const name = at(root, [index, 'name'])
  const label = typeof name === 'string' && NAME.test(name) ? ` ("${name}")` : ''
  const steps = path.map((it) => (typeof it === 'number' ? `[${it}]` : `.${named(String(it))}`))
  const inside = steps.join('').replace(/^\./, '')
  return `Endpoint ${Number(index) + 1}${label}${inside && `: ${inside}`}`
}

const NAME = /^[\w-]{1,60}$/

/** A name, unless it looks like something that should not be told. */
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
