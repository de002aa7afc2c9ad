import {
  elicit,
  InputRequired,
  listRoots,
  type Tool,
  ToolError,
  together,
  tool,
} from 'tidegate/mcp'
import * as z from 'zod'
import { askName } from './questions.ts'

const nothing = z.object({})

/** Tools that can or must run as tasks, and one that never does. */
export const taskTools: readonly Tool[] = [
  tool({
    name: 'greet',
    description: 'Greets at once.',
    input: z.object({ name: z.string() }),
    run: ({ name }) => `Hello, ${name}!`,
  }),
  tool({
    name: 'slow_compute',
    description: 'Computes for a while.',
    input: z.object({ seconds: z.number(), label: z.string() }),
    task: 'optional',
    async run({ seconds, label }, context) {
      for (let done = 0; done < seconds && !context.signal.aborted; done++) {
        context.progress(done, seconds)
        await sleep(Math.min(1, seconds - done) * 1000, context.signal)
      }
      return `${label}: computed for ${seconds} s.`
    },
  }),
  tool({
    name: 'failing_job',
    description: 'Fails after a second, with a message for the model.',
    input: nothing,
    task: 'required',
    async run(_input, { signal }) {
      await sleep(1000, signal)
      throw new ToolError('This job fails, as it is meant to.')
    },
  }),
  tool({
    name: 'protocol_error_job',
    description: 'Asks for roots. If the client does not support roots, this is a protocol error.',
    input: nothing,
    task: 'optional',
    run(_input, context) {
      const roots = listRoots(context, 'roots')
      return roots instanceof InputRequired ? roots : `${roots.length} roots`
    },
  }),
  tool({
    name: 'confirm_delete',
    description: 'Deletes a file, if the user agrees.',
    input: z.object({ filename: z.string() }),
    task: 'optional',
    run({ filename }, context) {
      const form = z.object({ confirm: z.boolean() })
      const answer = elicit(context, 'confirm', `Delete ${filename}?`, form)
      if (answer instanceof InputRequired) return answer
      return answer?.confirm ? `Deleted ${filename}.` : `Left ${filename} alone.`
    },
  }),
  tool({
    name: 'multi_input',
    description: 'Asks two questions at once.',
    input: nothing,
    task: 'optional',
    run(_input, context) {
      const answers = together(askName(context, 'first'), askName(context, 'second'))
      if (answers instanceof InputRequired) return answers
      return `Hello, ${answers.map((it) => it?.name ?? 'stranger').join(' and ')}!`
    },
  }),
  tool({
    name: 'test_tool_with_task',
    description: 'Asks for a name, then continues as a task.',
    input: nothing,
    task: 'required',
    ask: (_input, context) => askName(context, 'user_name'),
    async run(_input, context) {
      const user = askName(context, 'user_name')
      if (user instanceof InputRequired) return user
      await sleep(100, context.signal)
      return `Worked for ${user?.name ?? 'a stranger'}.`
    },
  }),
]

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
