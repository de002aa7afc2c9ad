import { type Endpoint, gateway, readEndpoints } from '../../src/gateway/index.ts'
import {
  memoryStores,
  type Prompt,
  type Resource,
  sealWith,
  type Tool,
} from '../../src/mcp/index.ts'
import { ask, MODERN, requestOf } from '../support/mcp.ts'

/** Texts of a given length, in shapes that are difficult for parsers. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  spaces: (n) => ' '.repeat(n),
  'spaces before a letter': (n) => `${' '.repeat(n)}x`,
  'an aggregate of spaces': (n) => `count(${' '.repeat(n)}x`,
  'a key and spaces': (n) => `x${' '.repeat(n)}y`,
  digits: (n) => '7'.repeat(n),
  zeros: (n) => `1.${'0'.repeat(n)}1`,
  quotes: (n) => `'" `.repeat(n / 3),
  'texts and names': (n) => `select [${`' ' `.repeat(n / 4)}](1)`,
  parentheses: (n) => '('.repeat(n / 2) + ')'.repeat(n / 2),
  'pairs of parentheses': (n) => `select ${'()'.repeat(n / 2)}`,
  percents: (n) => '%'.repeat(n),
  'percents and letters': (n) => '%a'.repeat(n / 2),
  underscores: (n) => '_'.repeat(n),
  commas: (n) => ','.repeat(n),
  dots: (n) => 'a.'.repeat(n / 2),
  dollars: (n) => `select ${'$1,'.repeat(n / 3)}`,
  braces: (n) => '{p1'.repeat(n / 3),
  comments: (n) => `select 1 ${'/* '.repeat(n / 3)}`,
  dashes: (n) => '--\n'.repeat(n / 3),
  backslashes: (n) => '\\'.repeat(n),
  'a long name': (n) => 'x'.repeat(n),
  'a statement of names': (n) => `select ${'a.b, '.repeat(n / 5)}1 from t`,
  'nested queries': (n) => `${'with a as ('.repeat(n / 11)}select 1`,
  lines: (n) => '\n'.repeat(n),
  'half characters': (n) => '\ud83d'.repeat(n),
  JSON: (n) => JSON.stringify(Array.from({ length: n / 8 }, (_, i) => i)),
}

/** Values with a text in every position that an argument can have for one. */
const wrappings: readonly ((text: string) => unknown)[] = [
  (it) => it,
  (it) => [it],
  (it) => it.match(/[\s\S]{1,8}/g),
  (it) => [{ column: it, op: 'eq', value: '1' }],
  (it) => [{ column: 'x', op: 'like', value: it }],
  (it) => (it.match(/[\s\S]{1,64}/g) ?? []).map((value) => ({ column: 'x', op: 'eq', value })),
]

interface Case {
  readonly name: string
  run(length: number): unknown
}

/** An engine with one table, whose errors repeat everything that it receives. */
const DEMO = {
  idFromName: () => '',
  get: () => ({
    async fetch(_: string, { body }: { body: string }) {
      const { sql, params } = JSON.parse(body)
      const column = (name: string) => ({ name, type: 'text' })
      const answer = (...rows: unknown[][]) =>
        Response.json({
          columns: rows[0]?.map((_, i) => column(`${i}`)) ?? [],
          rows,
          truncated: false,
        })
      if (sql.includes('as rank')) return answer(['main', 't', 'table', null, null, 1, 0])
      if (sql.includes('c.cid')) return answer(['main', 't', 'x', 'text', 1, null, null, null])
      if (sql.includes('pragma_') || sql.includes('sqlite_schema')) return answer()
      const message = `ambiguous column name: ${sql} "${params.join('" "')}"`
      return Response.json({ error: { kind: 'sql', message, code: 'SQLITE_ERROR' } })
    },
  }),
}

const databases = { shop: { url: 'demo:' } }
const value = (type: string) => ({ name: type, type })
const tools = [
  ...['list_tables', 'describe_table', 'query_table', 'query', 'explain_query'],
  {
    ...{ name: 'own', description: 'One of an operator.', sql: 'select $1, $2, $3' },
    params: ['string', 'date', 'integer'].map(value),
  },
]
const search = [{ table: 't', title: 'x', text: ['x'] }]
const endpoint = { name: 'x', title: 'X', databases, tools, search }

/** Every argument of every tool, prompt, resource and completion, and every field of the configuration. */
function cases(): Case[] {
  const [read] = readEndpoints({ ENDPOINTS: JSON.stringify([endpoint]) })
  const keeping = { stores: memoryStores(), seal: sealWith('x') }
  const server = gateway(read as Endpoint, { fetch, bindings: { DEMO } }, { keeping })
  const send = (method: string, params: object) =>
    ask({ server }, requestOf(MODERN, { method, params: { ...params } }))
  const each = (name: string, make: (value: unknown) => unknown, wrapped = wrappings): Case[] =>
    Object.entries(shapes).flatMap(([shape, text]) =>
      wrapped.map((wrap, i) => ({
        name: `${name}: ${shape}, form ${i}`,
        run: (n) => make(wrap(text(n))),
      })),
    )
  const call = (name: string, args: object) => send('tools/call', { name, arguments: args })
  const texts = wrappings.slice(0, 1)
  const ofTools = (server.tools as readonly Tool[]).flatMap((tool) => {
    const known = Object.keys((tool.input as { shape?: object }).shape ?? shapeOf(tool))
    const needed = {
      table: 't',
      sql: 'select 1',
      query: 'x',
      id: 'x',
      string: 'x',
      date: '2026-01-31',
      integer: 1,
    }
    return known.flatMap((argument) => {
      const others = Object.fromEntries(
        Object.entries(needed).filter(([it]) => it !== argument && known.includes(it)),
      )
      return each(`${tool.name}.${argument}`, (it) =>
        call(tool.name, { ...others, [argument]: it }),
      )
    })
  })
  const ofPrompts = (server.prompts as readonly Prompt[]).flatMap((prompt) =>
    (prompt.arguments ?? []).flatMap(({ name }) => [
      ...each(
        `${prompt.name}.${name}`,
        (it) => send('prompts/get', { name: prompt.name, arguments: { [name]: it } }),
        texts,
      ),
      ...each(
        `completion of ${prompt.name}.${name}`,
        (it) =>
          send('completion/complete', {
            ref: { type: 'ref/prompt', name: prompt.name },
            argument: { name, value: it },
          }),
        texts,
      ),
    ]),
  )
  const ofResources = (server.resources as readonly Resource[]).flatMap(({ uri }) => [
    ...each(
      `address under ${uri}`,
      (it) =>
        send('resources/read', {
          uri: `${uri.split('{')[0]}/${encodeURIComponent(String(it).toWellFormed())}`,
        }),
      texts,
    ),
    ...each(
      `completion of ${uri}`,
      (it) =>
        send('completion/complete', {
          ref: { type: 'ref/resource', uri },
          argument: { name: 'table', value: it },
        }),
      texts,
    ),
  ])
  const configured = (more: object) => {
    try {
      return readEndpoints({ ENDPOINTS: JSON.stringify([{ ...endpoint, ...more }]) })
    } catch {
      return undefined
    }
  }
  const own = tools.at(-1) as object
  const ofSettings = [
    ...each('the text of ENDPOINTS', (it) => configured({ title: it }), texts),
    ...['name', 'databases', 'tools', 'search', 'caps', 'keep', 'access'].flatMap((field) =>
      each(`ENDPOINTS.${field}`, (it) => configured({ [field]: it })),
    ),
    ...['name', 'description', 'sql', 'params'].flatMap((field) =>
      each(`ENDPOINTS.tools.${field}`, (it) => configured({ tools: [{ ...own, [field]: it }] })),
    ),
    ...each(
      'ENDPOINTS.databases.url',
      (it) => configured({ databases: { a: { url: it } } }),
      texts,
    ),
  ]
  const lists = ['tools/list', 'prompts/list', 'resources/list'].flatMap((method) =>
    each(`cursor of ${method}`, (cursor) => send(method, { cursor })),
  )
  return [...ofTools, ...ofPrompts, ...ofResources, ...lists, ...ofSettings]
}

const shapeOf = ({ input }: Tool) =>
  (input as { _zod?: { def: { shape: object } } })._zod?.def.shape ?? {}

/** Below this number of milliseconds, a ratio depends more on the machine than on the code. */
const NOISE = 150
const FIRST = 1 << 10
const LAST = 1 << 20

/** Doubles the length of each argument, and reports where the time more than triples. */
export async function doubling(say: (line: string) => void): Promise<number> {
  const all = cases()
  let slow = 0
  for (const [i, { name, run }] of all.entries()) {
    let before = Number.POSITIVE_INFINITY
    for (let length = FIRST; length <= LAST; length *= 2) {
      const took = await median(() => run(length))
      if (took > NOISE && took > 3 * before && (await triples(run, length))) {
        slow++
        say(
          `${name}: ${Math.round(before)} ms for ${length / 2}, and ${Math.round(took)} ms for ${length}`,
        )
        break
      }
      before = Math.max(took, NOISE / 3)
    }
    if ((i + 1) % 500 === 0) say(`${i + 1} of ${all.length}`)
  }
  say(`arguments in ${all.length} forms, ${slow} of them worse than linear`)
  return slow
}

/** True if the time triples again when both lengths are measured one after the other. */
async function triples(run: Case['run'], length: number): Promise<boolean> {
  const half = await median(() => run(length / 2))
  return (await median(() => run(length))) > 3 * Math.max(half, NOISE / 3)
}

/** The time of a run, or the median of several runs if a run takes long enough to measure. */
async function median(run: () => unknown): Promise<number> {
  const times: number[] = []
  do {
    const began = performance.now()
    await run()
    times.push(performance.now() - began)
  } while (times[0]! > NOISE && times.length < 5)
  return times.sort((a, b) => a - b)[times.length >> 1]!
}
