// A server's lists, as tables for a terminal. All of it is untrusted text.
import { counted } from '../../ground/index.ts'
import { fieldsOf, type JsonFields } from '../../host-checks/index.ts'
import { plain, type TerminalColumn, table } from '../terminal/table.ts'
import type { InspectedServer } from './look.ts'

const MAX_CELL = 60
const MAX_INSTRUCTIONS = 4_000

/** The result as text for a person. */
export function textOf(found: InspectedServer): string {
  const { server, versions, opened, instructions, notes } = found
  const others = versions.filter((it) => it !== opened)
  const head = [
    [server.title ?? server.name ?? 'A server without a name', server.version]
      .filter(Boolean)
      .map(cell)
      .join(' '),
    `  Revision       ${cell(opened)}${others.length > 0 ? `, also ${others.map(cell).join(', ')}` : ''}`,
    `  Capabilities   ${Object.keys(found.capabilities).map(cell).join(', ') || 'none'}`,
  ]
  const { tools, resources, templates, prompts } = found
  return [
    head.join('\n'),
    instructions && section(`Instructions, ${tokens(instructions)}`, lines(instructions)),
    list('tool', tools, toolColumns, tokens(tools)),
    list('resource', resources, resourceColumns),
    list('template', templates, templateColumns),
    list('prompt', prompts, promptColumns),
    notes.length > 0 && notes.map((it) => `Note: ${plain(it)}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The result as JSON, also free of characters that a terminal would interpret. */
export function jsonOf(found: InspectedServer): string {
  return JSON.stringify(found, null, 2).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (it) =>
    it === '\n' ? it : it.replace(/[\s\S]/g, escaped),
  )
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const section = (heading: string, text: string): string =>
  `${heading}\n${text.replace(/^/gm, '  ')}`

function list(
  noun: string,
  items: readonly JsonFields[],
  columns: readonly TerminalColumn<JsonFields>[],
  cost?: string,
): string | undefined {
  if (items.length === 0) return undefined
  return section(
    [counted(items.length, noun), cost].filter(Boolean).join(', '),
    table(columns, items),
  )
}

const lines = (text: string): string =>
  text.slice(0, MAX_INSTRUCTIONS).split('\n').map(plain).join('\n') +
  (text.length > MAX_INSTRUCTIONS ? '\n…' : '')

/** Estimated cost for a model: a token is about four characters of English or JSON. */
const tokens = (value: unknown): string => {
  const { length } = typeof value === 'string' ? value : JSON.stringify(value)
  return `about ${Math.ceil(length / 4).toLocaleString('en')} tokens`
}

const cell = (value: unknown): string => {
  const text = plain(value ?? '')
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text
}

/** Names of the arguments. Required ones have a star. */
function argumentsOf({ inputSchema }: JsonFields): string[] {
  const { properties, required } = fieldsOf(inputSchema)
  const needed = Array.isArray(required) ? required : []
  return Object.keys(fieldsOf(properties)).map((it) => (needed.includes(it) ? `${it}*` : it))
}

/** A tool's annotations, which are hints, not promises. */
function hintsOf({ annotations }: JsonFields) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = fieldsOf(annotations)
  return [
    readOnlyHint === true ? 'read-only' : readOnlyHint === false && 'writes',
    readOnlyHint !== true && destructiveHint === true && 'destructive',
    readOnlyHint !== true && idempotentHint === true && 'idempotent',
    openWorldHint === true && 'open world',
  ].filter(Boolean)
}

const toolColumns: readonly TerminalColumn<JsonFields>[] = [
  ['tool', (it) => cell(it.name)],
  ['title', (it) => cell(it.title ?? fieldsOf(it.annotations).title)],
  ['arguments', (it) => cell(argumentsOf(it).join(', '))],
  ['hints', (it) => hintsOf(it).join(', ')],
]

const resourceColumns: readonly TerminalColumn<JsonFields>[] = [
  ['uri', (it) => cell(it.uri)],
  ['name', (it) => cell(it.title ?? it.name)],
  ['type', (it) => cell(it.mimeType)],
]

const templateColumns: readonly TerminalColumn<JsonFields>[] = [
  ['template', (it) => cell(it.uriTemplate)],
  ['name', (it) => cell(it.title ?? it.name)],
  ['type', (it) => cell(it.mimeType)],
]

const promptColumns: readonly TerminalColumn<JsonFields>[] = [
  ['prompt', (it) => cell(it.name)],
  ['title', (it) => cell(it.title)],
  [
    'arguments',
    ({ arguments: given }) =>
      cell(
        (Array.isArray(given) ? given : [])
          .map(fieldsOf)
          .map((it) => `${it.name}${it.required ? '*' : ''}`)
          .join(', '),
      ),
  ],
]
