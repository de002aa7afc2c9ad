// What a server offers, as tables for a terminal. All of it is a stranger's text.
import { count, plain, table } from '../table.mjs'

const MAX_CELL = 60
const MAX_INSTRUCTIONS = 4_000

/** The text for a person. */
export function textOf(found) {
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

/** The same as JSON, in which a terminal finds nothing to obey either. */
export function jsonOf(found) {
  return JSON.stringify(found, null, 2).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (it) =>
    it === '\n' ? it : it.replace(/[\s\S]/g, escaped),
  )
}

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const section = (heading, text) => `${heading}\n${text.replace(/^/gm, '  ')}`

function list(noun, items, columns, cost) {
  if (items.length === 0) return undefined
  return section(
    [count(items.length, noun), cost].filter(Boolean).join(', '),
    table(columns, items),
  )
}

const lines = (text) =>
  text.slice(0, MAX_INSTRUCTIONS).split('\n').map(plain).join('\n') +
  (text.length > MAX_INSTRUCTIONS ? '\n…' : '')

/** About what a model is charged for it: a token has four characters of English or JSON. */
const tokens = (value) => {
  const { length } = typeof value === 'string' ? value : JSON.stringify(value)
  return `about ${Math.ceil(length / 4).toLocaleString('en')} tokens`
}

const cell = (value) => {
  const text = plain(value ?? '')
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL - 1)}…` : text
}

/** The names of the arguments; those that must be given have a star. */
function argumentsOf({ inputSchema }) {
  const { properties, required } = inputSchema ?? {}
  const needed = Array.isArray(required) ? required : []
  return Object.keys(properties ?? {}).map((it) => (needed.includes(it) ? `${it}*` : it))
}

/** What the annotations of a tool say: they are hints, and no promise. */
function hintsOf({ annotations }) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {}
  return [
    readOnlyHint === true ? 'read-only' : readOnlyHint === false && 'writes',
    readOnlyHint !== true && destructiveHint === true && 'destructive',
    readOnlyHint !== true && idempotentHint === true && 'idempotent',
    openWorldHint === true && 'open world',
  ].filter(Boolean)
}

const toolColumns = [
  ['tool', (it) => cell(it.name)],
  ['title', (it) => cell(it.title ?? it.annotations?.title)],
  ['arguments', (it) => cell(argumentsOf(it).join(', '))],
  ['hints', (it) => hintsOf(it).join(', ')],
]

const resourceColumns = [
  ['uri', (it) => cell(it.uri)],
  ['name', (it) => cell(it.title ?? it.name)],
  ['type', (it) => cell(it.mimeType)],
]

const templateColumns = [
  ['template', (it) => cell(it.uriTemplate)],
  ['name', (it) => cell(it.title ?? it.name)],
  ['type', (it) => cell(it.mimeType)],
]

const promptColumns = [
  ['prompt', (it) => cell(it.name)],
  ['title', (it) => cell(it.title)],
  [
    'arguments',
    ({ arguments: given }) =>
      cell(
        (Array.isArray(given) ? given : [])
          .map((it) => `${it?.name}${it?.required ? '*' : ''}`)
          .join(', '),
      ),
  ],
]
