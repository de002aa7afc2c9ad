// Notes as resources, and a question to the user before one is deleted:
// npx wrangler dev examples/notes.ts --config examples/wrangler.toml
import * as z from 'zod'
import {
  elicit,
  InputRequired,
  type Resource,
  type Server,
  tool,
  worker,
} from '../src/mcp/index.ts'

// In memory, to keep this short. A real server stores them where every isolate finds them.
const notes = new Map([['welcome', 'Write with write_note, read note://welcome.']])

const note: Resource = {
  uri: 'note://{name}',
  name: 'note',
  description: 'One note, by its name.',
  complete: { name: (begun) => [...notes.keys()].filter((name) => name.startsWith(begun)) },
  read: ({ name = '' }) => notes.get(name),
}

const writeNote = tool({
  name: 'write_note',
  description: 'Write or overwrite a note.',
  input: z.object({ name: z.string().regex(/^[a-z-]+$/), text: z.string() }),
  run({ name, text }) {
    notes.set(name, text)
    return `Written to note://${name}`
  },
})

const deleteNote = tool({
  name: 'delete_note',
  description: 'Delete a note, if the user agrees.',
  input: z.object({ name: z.string() }),
  run({ name }, context) {
    if (!notes.has(name)) return `There is no note called ${name}.`
    const form = z.object({ sure: z.boolean() })
    const answer = elicit(context, 'sure', `Delete the note ${name}?`, form)
    // The first time there is no answer yet. The tool runs again when there is one.
    if (answer instanceof InputRequired) return answer
    if (!answer?.sure) return 'Kept.'
    notes.delete(name)
    return 'Deleted.'
  },
})

const server: Server = {
  name: 'notes',
  version: '1.0.0',
  resources: [note],
  tools: [writeNote, deleteNote],
  prompts: [
    {
      name: 'summarize',
      description: 'Summarize one note.',
      arguments: [{ name: 'name', required: true }],
      get: ({ name }) => `Read note://${name} and sum it up in one sentence.`,
    },
  ],
}

const mcp = worker(() => server)
export const { McpSession } = mcp
export default mcp
