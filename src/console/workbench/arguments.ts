import { isObject } from '../../ground/index.ts'
import { pageBytes } from '../parts/page-size.ts'
import { grouped } from '../parts/texts.ts'
import type { ArgumentSchema, ListedTool } from './tools.ts'

/** Kind of input for an argument. */
export type ArgumentKind = 'choice' | 'boolean' | 'number' | 'text' | 'long' | 'json'

/** Values and errors of a tool's form, by argument. */
export interface FormValues {
  readonly texts: ReadonlyMap<string, string>
  readonly faults: ReadonlyMap<string, string>
  /** Message about the whole form. */
  readonly note?: string | undefined
}

/** Prefix of form fields that are arguments. */
export const FIELD = 'a.'

/** Byte budget for the arguments, so that a page stays small. */
const MAX_BYTES = 10_000

const TOO_LONG = `The arguments are too long for this form, which accepts ${grouped(MAX_BYTES)} bytes. Shorten the statement or use an app.`

export const empty: FormValues = { texts: new Map(), faults: new Map() }

/** Kind of input for a schema. */
export function kindOf(
  name: string,
  { enum: values, type, maxLength = 0 }: ArgumentSchema,
): ArgumentKind {
  if (values) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return name === 'sql' || maxLength > 200 ? 'long' : 'text'
  return 'json'
}

const propertiesOf = ({ inputSchema }: ListedTool) => Object.entries(inputSchema.properties ?? {})

/** Form filled with JSON arguments from an address. */
export function filledWith(tool: ListedTool, json: string): FormValues {
  if (pageBytes(json) > MAX_BYTES) return { ...empty, note: TOO_LONG }
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    return { ...empty, note: 'The arguments in the address are not JSON.' }
  }
  if (!isObject(given)) {
    return { ...empty, note: 'The arguments in the address are not an object.' }
  }
  return filledFrom(tool, given)
}

/** Form filled with arguments. */
export function filledFrom(
  tool: ListedTool,
  given: Readonly<Record<string, unknown>>,
  note?: string,
): FormValues {
  const texts = propertiesOf(tool).flatMap(([name, schema]) =>
    Object.hasOwn(given, name) ? [[name, textOf(given[name], kindOf(name, schema))] as const] : [],
  )
  const unknown = Object.keys(given).filter((name) => !texts.some(([known]) => known === name))
  const left =
    unknown.length > 0
      ? `${tool.name} has no argument ${unknown.slice(0, 5).join(', ').slice(0, 200)}, so it was left out.`
      : undefined
  return { texts: new Map(texts), faults: new Map(), note: note ?? left }
}

const textOf = (value: unknown, kind: ArgumentKind): string =>
  typeof value === 'string' && kind !== 'json' && kind !== 'choice' ? value : JSON.stringify(value)

/** Form that a person submitted, and its arguments if all of them are valid. */
export function sent(
  tool: ListedTool,
  fields: URLSearchParams,
): { readonly filled: FormValues; readonly given: Readonly<Record<string, unknown>> | undefined } {
  const texts = new Map<string, string>()
  const faults = new Map<string, string>()
  const given: Record<string, unknown> = {}
  let bytes = 0
  for (const [name, schema] of propertiesOf(tool)) {
    // Browsers send line breaks as two characters.
    const text = fields.get(FIELD + name)?.replaceAll('\r\n', '\n')
    if (text === undefined) continue
    bytes += pageBytes(text)
    texts.set(name, text)
    const kind = kindOf(name, schema)
    const isNeeded = tool.inputSchema.required?.includes(name)
    if (text.trim() === '' && (!isNeeded || kind !== 'text')) {
      if (isNeeded) faults.set(name, 'is required.')
      continue
    }
    const value = readAs(text, kind)
    if (value === undefined) faults.set(name, WRONG[kind])
    else given[name] = value
  }
  if (bytes > MAX_BYTES) return { filled: { ...empty, note: TOO_LONG }, given: undefined }
  return { filled: { texts, faults }, given: faults.size > 0 ? undefined : given }
}

/** Parses a string; undefined if it is not valid. */
function readAs(text: string, kind: ArgumentKind): unknown {
  if (kind === 'text' || kind === 'long') return text
  if (kind === 'number') {
    const number = Number(text)
    return Number.isFinite(number) ? number : undefined
  }
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const WRONG: Readonly<Record<ArgumentKind, string>> = {
  choice: 'must be one of the listed values.',
  boolean: 'must be true or false.',
  number: 'must be a number.',
  text: '',
  long: '',
  json: 'must be JSON. Write a list as ["a", 1] and an object as {"name": "value"}.',
}
