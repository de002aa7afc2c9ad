// The parts that all targets share: three tools and their texts. The tools do nothing, so that only the server
// around them is measured.

const cities = ['Oslo', 'Lima', 'Pune', 'Kyiv', 'Reno']

/** About 5 KB of JSON. */
export const rowsText = JSON.stringify(
  Array.from({ length: 50 }, (_, i) => ({
    id: i + 1,
    name: `user-${String(i + 1).padStart(4, '0')}`,
    email: `user${i + 1}@example.com`,
    city: cities[i % 5],
    score: (i * 37) % 101,
    active: i % 3 !== 0,
  })),
)

export const says = {
  echo: 'Echo the text back',
  add: 'Add two numbers',
  rows: 'Return 50 fixed rows as a JSON array',
}

export const text = (it) => ({ content: [{ type: 'text', text: it }] })

const tools = [
  {
    name: 'echo',
    description: says.echo,
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    },
  },
  {
    name: 'add',
    description: says.add,
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
  { name: 'rows', description: says.rows, inputSchema: { type: 'object', properties: {} } },
]

/** The floor: answers a message with the right bytes, and checks nothing. */
export function answer({ id, method, params }) {
  return { jsonrpc: '2.0', id, result: result(method, params) }
}

function result(method, params) {
  if (method === 'tools/list') return { tools }
  if (method !== 'tools/call') {
    const serverInfo = { name: 'floor', version: '1.0.0' }
    return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo }
  }
  const { name, arguments: given } = params
  if (name === 'echo') return text(given.text)
  return text(name === 'add' ? String(given.a + given.b) : rowsText)
}

/** Number of tools that a target offers besides the three, if it can be set. */
export const more = Array.from(
  { length: Number(globalThis.MORE_TOOLS ?? 0) },
  (_, i) => `extra_${i}`,
)
