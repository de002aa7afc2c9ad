// A server over stdio: node stdio-server.ts
import * as z from 'zod'
import {
  elicit,
  InputRequired,
  localChanges,
  memoryStores,
  memoryTasks,
  type Server,
  serveStdio,
  tool,
} from '../../src/mcp/index.ts'

const changes = localChanges()

const server: Server = {
  name: 'piped',
  version: '1.0.0',
  logs: true,
  changes,
  resources: [{ uri: 'test://watched', name: 'watched', read: () => 'text' }],
  tools: [
    tool({
      name: 'greet',
      description: 'Asks for a name and greets.',
      input: z.object({}),
      run(_, context) {
        const answer = elicit(context, 'name', 'Who are you?', z.object({ name: z.string() }))
        if (answer instanceof InputRequired) return answer
        return `Hello, ${answer?.name ?? 'stranger'}`
      },
    }),
    tool({
      name: 'count',
      description: 'Counts to three.',
      input: z.object({}),
      run(_, { progress }) {
        for (const n of [1, 2, 3]) progress(n, 3, `step ${n}`)
        return 'counted\u2028to three'
      },
    }),
    tool({
      name: 'change',
      description: 'Changes the list of tools.',
      input: z.object({}),
      async run() {
        await changes.publish({ kind: 'tools' })
        return 'changed'
      },
    }),
    tool({
      name: 'wait',
      description: 'Waits until it is stopped.',
      input: z.object({}),
      run: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
    }),
  ],
}

if (import.meta.main) {
  const tasks = memoryTasks(() => server)
  await serveStdio(
    { input: process.stdin, write: (line) => void process.stdout.write(line) },
    { server, tasks, stores: memoryStores() },
  )
}

export { changes, server }
