import type * as z from 'zod/mini'

type Issue = z.core.$ZodIssue

/** Maximum number of faults in one message. */
const MAX_FAULTS = 10

/** Describes the place of a value in words. */
type ConfigPlace = (path: readonly PropertyKey[], root: unknown) => string

interface Fault {
  /** The path of the field: `databases.shop.url`. Empty for the whole value. */
  readonly field: string
  readonly sentence: string
}

/** The faults in a configuration, and the fixes. Repeats the names of fields and endpoints, but no values. */
export const configFaults = ({ issues }: z.core.$ZodError, value: unknown): string =>
  said(issues.flatMap((it) => faultsOf(it, [], value, placeInList)))

/** The faults in one object, and the path of the first wrong field. */
export function fieldFaults({ issues }: z.core.$ZodError, value: unknown): Fault {
  const faults = issues.flatMap((it) => faultsOf(it, [], value, placeInObject))
  return { field: faults[0]?.field ?? '', sentence: said(faults) }
}

function said(faults: readonly Fault[]): string {
  const more = faults.length > MAX_FAULTS ? [`There are ${faults.length - MAX_FAULTS} more.`] : []
  return [...faults.slice(0, MAX_FAULTS).map(({ sentence }) => sentence), ...more].join('\n')
}

function faultsOf(
  issue: Issue,
  above: readonly PropertyKey[],
  root: unknown,
  placeOf: ConfigPlace,
): Fault[] {
  const path = [...above, ...issue.path]
  const value = at(root, path)
  if (issue.code === 'invalid_union') {
    // The value can have one of several types. Only the faults for the intended type are shown.
    const isOther = ({ code, path }: Issue) =>
      path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')
    const meant = issue.errors.find((issues) => !issues.some(isOther))
    if (meant) return meant.flatMap((it) => faultsOf(it, path, root, placeOf))
  }
  const field = named(String(path.at(-1) ?? ''))
  if (value === undefined && path.length > 0) {
    const missing = `has no ${field}. Add "${field}": ${examples[field] ?? '…'}.`
    return [{ field: steps(path), sentence: `${placeOf(path.slice(0, -1), root)} ${missing}` }]
  }
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return [
    {
      field: steps([...path, ...unknown]),
      sentence: `${placeOf(path, root)} ${wrong(issue, value)}`,
    },
  ]
}

/** Examples for the required fields. */
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

/** The place of a value in ENDPOINTS: `Endpoint 1 ("shop"): databases.shop.url`. */
const placeInList: ConfigPlace = ([index, ...path], root) => {
  if (index === undefined) return 'ENDPOINTS'
  const name = at(root, [index, 'name'])
  const label = typeof name === 'string' && NAME.test(name) ? ` ("${name}")` : ''
  const inside = steps(path)
  return `Endpoint ${Number(index) + 1}${label}${inside && `: ${inside}`}`
}

const placeInObject: ConfigPlace = (path) => steps(path) || 'The body'

const steps = (path: readonly PropertyKey[]): string =>
  path
    .map((it) => (typeof it === 'number' ? `[${it}]` : `.${named(String(it))}`))
    .join('')
    .replace(/^\./, '')

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
