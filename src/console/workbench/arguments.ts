import { pageBytes } from './fit.ts'
import type { ListedTool, Schema } from './tools.ts'

/** How an argument is asked for. */
export type Kind = 'choice' | 'boolean' | 'number' | 'text' | 'long' | 'json'

/** What stands in the form of a tool, by the names of its arguments, and what is wrong with it. */
export interface Filled {
  readonly texts: ReadonlyMap<string, string>
  readonly faults: ReadonlyMap<string, string>
  /** What a person should know of the whole form. */
  readonly note?: string | undefined
}

/** What begins the names of the fields that are arguments. */
export const FIELD = 'a.'

/** What the arguments of a form may take of a page. A page is never large. */
const MAX_BYTES = 10_000

const TOO_LONG = `The arguments are longer than this form takes, ${MAX_BYTES.toLocaleString('en-US')} bytes of a page. Send a shorter statement, or use an app.`

export const empty: Filled = { texts: new Map(), faults: new Map() }

/** How an argument with this schema is asked for. */
export function kindOf(name: string, { enum: values, type, maxLength = 0 }: Schema): Kind {
  if (values) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return name === 'sql' || maxLength > 200 ? 'long' : 'text'
  return 'json'
}

const propertiesOf = ({ inputSchema }: ListedTool) => Object.entries(inputSchema.properties ?? {})

/** The form with these arguments, which come as JSON in an address. */
export function filledWith(tool: ListedTool, json: string): Filled {
  if (pageBytes(json) > MAX_BYTES) return { ...empty, note: TOO_LONG }
  let given: unknown
  try {
    given = JSON.parse(json)
  } catch {
    return { ...empty, note: 'The arguments in the address are not JSON.' }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { ...empty, note: 'The arguments in the address are not an object.' }
  }
  return filledFrom(tool, given as Readonly<Record<string, unknown>>)
}

/** The form with these arguments. */
export function filledFrom(
  tool: ListedTool,
  given: Readonly<Record<string, unknown>>,
  note?: string,
): Filled {
  const texts = propertiesOf(tool).flatMap(([name, schema]) =>
    Object.hasOwn(given, name) ? [[name, textOf(given[name], kindOf(name, schema))] as const] : [],
  )
  const unknown = Object.keys(given).filter((name) => !texts.some(([known]) => known === name))
  const left =
    unknown.length > 0
      ? `${tool.name} has no argument ${unknown.slice(0, 5).join(', ').slice(0, 200)}, so that is left out.`
      : undefined
  return { texts: new Map(texts), faults: new Map(), note: note ?? left }
}

const textOf = (value: unknown, kind: Kind): string =>
  typeof value === 'string' && kind !== 'json' && kind !== 'choice' ? value : JSON.stringify(value)

/** What a person sent, and the arguments that it is, unless something is wrong. */
export function sent(
  tool: ListedTool,
  fields: URLSearchParams,
): { readonly filled: Filled; readonly given: Readonly<Record<string, unknown>> | undefined } {
  const texts = new Map<string, string>()
  const faults = new Map<string, string>()
  const given: Record<string, unknown> = {}
  let bytes = 0
  for (const [name, schema] of propertiesOf(tool)) {
    // Browsers write each end of a line as two characters.
    const text = fields.get(FIELD + name)?.replaceAll('\r\n', '\n')
    if (text === undefined) continue
    bytes += pageBytes(text)
    texts.set(name, text)
    const kind = kindOf(name, schema)
    const isNeeded = tool.inputSchema.required?.includes(name)
    if (text.trim() === '' && (!isNeeded || kind !== 'text')) {
      if (isNeeded) faults.set(name, 'is needed.')
      continue
    }
    const value = readAs(text, kind)
    if (value === undefined) faults.set(name, WRONG[kind])
    else given[name] = value
  }
  if (bytes > MAX_BYTES) return { filled: { ...empty, note: TOO_LONG }, given: undefined }
  return { filled: { texts, faults }, given: faults.size > 0 ? undefined : given }
}

/** The value of a text; undefined if it is none. */
function readAs(text: string, kind: Kind): unknown {
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

const WRONG: Readonly<Record<Kind, string>> = {
  choice: 'is none of these values.',
  boolean: 'is neither true nor false.',
  number: 'is not a number.',
  text: '',
  long: '',
  json: 'is not JSON. Write a list as ["a", 1], and an object as {"name": "value"}.',
}
