import {
  type Context,
  elicit,
  InputRequired,
  listRoots,
  sample,
  type Tool,
  together,
  tool,
} from 'tidegate/mcp'
import * as z from 'zod'

const nothing = z.object({})

/**
 * Tools that cannot answer before the client does. Each returns its question and is run again from
 * its first line with the answer, over a stream in the legacy era and by a new call in the modern
 * one; the tool cannot tell which.
 */
export const questionTools: readonly Tool[] = [
  tool({
    name: 'test_elicitation',
    description: 'Asks the user for a name and an address.',
    input: z.object({ message: z.string().describe('What to tell the user') }),
    run({ message }, context) {
      const form = z.object({
        username: z.string().describe("User's response"),
        email: z.string().describe("User's email address"),
      })
      const answer = elicit(context, 'user', message, form)
      if (answer instanceof InputRequired) return answer
      return `User response: ${inWords(answer)}`
    },
  }),
  tool({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks the user to fill in a form that is filled in already.',
    input: nothing,
    run(_input, context) {
      const form = z.object({
        name: z.string().default('John Doe'),
        age: z.int().default(30),
        score: z.number().default(95.5),
        status: z.enum(['active', 'inactive', 'pending']).default('active'),
        verified: z.boolean().default(true),
      })
      const answer = elicit(context, 'form', 'Please check these values', form)
      if (answer instanceof InputRequired) return answer
      return `Elicitation completed: ${inWords(answer)}`
    },
  }),
  tool({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks the user to choose, in each way a form can.',
    input: nothing,
    run(_input, context) {
      const options = z.enum(['option1', 'option2', 'option3'])
      const form = z.object({
        untitledSingle: options,
        titledSingle: z.xor(titled('First Option', 'Second Option')).meta({ type: 'string' }),
        legacyEnum: z
          .enum(['opt1', 'opt2', 'opt3'])
          .meta({ enumNames: ['Option One', 'Option Two', 'Option Three'] }),
        untitledMulti: z.array(options),
        titledMulti: z.array(z.union(titled('First Choice', 'Second Choice'))),
      })
      const answer = elicit(context, 'choices', 'Please choose', form)
      if (answer instanceof InputRequired) return answer
      return `Elicitation completed: ${inWords(answer)}`
    },
  }),
  tool({
    name: 'test_streaming_elicitation',
    description: 'Asks the user to go on, and sends nothing else meanwhile.',
    input: nothing,
    run: (_input, context) => confirm(context, (ok) => `User said ${ok ? 'yes' : 'no'}`),
  }),
  tool({
    name: 'test_question_after_disconnect',
    description: 'Closes the connection and asks then; the client comes back for the question.',
    input: nothing,
    run(_input, context) {
      context.disconnect()
      return confirm(context, (ok) => `User said ${ok ? 'yes' : 'no'}`)
    },
  }),
  tool({
    name: 'test_sampling',
    description: "Has the client's model answer a prompt.",
    input: z.object({ prompt: z.string().describe('What to ask the model') }),
    run({ prompt }, context) {
      const answer = sample(context, 'answer', userSays(prompt, 100))
      if (answer instanceof InputRequired) return answer
      return `LLM response: ${textOf(answer.content)}`
    },
  }),
  tool({
    name: 'test_missing_capability',
    description: "Needs the client's model, and refuses to work without one.",
    input: nothing,
    run(_input, context) {
      const answer = sample(context, 'answer', userSays('Say something', 20))
      if (answer instanceof InputRequired) return answer
      return `The model said: ${textOf(answer.content)}`
    },
  }),
  tool({
    name: 'test_input_required_result_elicitation',
    description: 'Asks the user for a name and greets them.',
    input: nothing,
    run(_input, context) {
      const answer = askName(context, 'user_name')
      if (answer instanceof InputRequired) return answer
      return `Hello, ${answer?.name ?? 'stranger'}!`
    },
  }),
  tool({
    name: 'test_input_required_result_sampling',
    description: "Has the client's model name the capital of France.",
    input: nothing,
    run(_input, context) {
      const question = userSays('What is the capital of France?', 100)
      const answer = sample(context, 'capital_question', question)
      if (answer instanceof InputRequired) return answer
      return `The model said: ${textOf(answer.content)}`
    },
  }),
  tool({
    name: 'test_input_required_result_list_roots',
    description: 'Says which folders the client works in.',
    input: nothing,
    run(_input, context) {
      const roots = listRoots(context, 'client_roots')
      if (roots instanceof InputRequired) return roots
      return `The client works in ${roots.map(({ uri, name }) => name ?? uri).join(', ')}`
    },
  }),
  tool({
    name: 'test_input_required_result_request_state',
    description: 'Asks the user to confirm; the question carries a state that comes back.',
    input: nothing,
    // Nobody gets here with a state that is not ours, so reaching the end proves it.
    run: (_input, context) => confirm(context, (ok) => `state-ok, confirmed: ${ok}`),
  }),
  tool({
    name: 'test_input_required_result_tampered_state',
    description: 'Asks the user to confirm; a state that was changed on the way is refused.',
    input: nothing,
    run: (_input, context) => confirm(context, (ok) => `Confirmed: ${ok}`),
  }),
  tool({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks the user, the model and the client, all in one round.',
    input: nothing,
    run(_input, context) {
      const user = askName(context, 'user_name')
      const greeting = sample(context, 'greeting', userSays('Generate a greeting', 50))
      const roots = listRoots(context, 'client_roots')
      const answers = together(user, greeting, roots)
      return answers instanceof InputRequired ? answers : `All answered: ${JSON.stringify(answers)}`
    },
  }),
  tool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name first, and for a colour when it knows the name.',
    input: nothing,
    run(_input, context) {
      const user = askName(context, 'step1')
      if (user instanceof InputRequired) return user
      const name = user?.name ?? 'stranger'
      const form = z.object({ color: z.string() })
      const answer = elicit(context, 'step2', `${name}, what is your favorite color?`, form)
      if (answer instanceof InputRequired) return answer
      return `${name} likes ${answer?.color ?? 'no color'}.`
    },
  }),
  tool({
    name: 'test_input_required_result_capabilities',
    description: 'Asks whoever the client can ask: the user, the model, or both.',
    input: nothing,
    run(_input, context) {
      const { elicitation, sampling } = context.client.capabilities
      const user = elicitation ? askName(context, 'user_name') : null
      const greeting = sampling
        ? sample(context, 'greeting', userSays('Generate a greeting', 50))
        : null
      const answers = together(user, greeting)
      return answers instanceof InputRequired ? answers : `All answered: ${JSON.stringify(answers)}`
    },
  }),
]

const askName = (context: Context, key: string) =>
  elicit(context, key, 'What is your name?', z.object({ name: z.string() }))

function confirm(context: Context, answered: (ok: boolean) => string) {
  const answer = elicit(context, 'confirm', 'Please confirm', z.object({ ok: z.boolean() }))
  return answer instanceof InputRequired ? answer : answered(answer?.ok ?? false)
}

const userSays = (text: string, maxTokens: number) => ({
  messages: [{ role: 'user', content: { type: 'text', text } }],
  maxTokens,
})

const textOf = (content: unknown) =>
  z.object({ text: z.string() }).safeParse(content).data?.text ?? JSON.stringify(content)

/** Values a form shows by a title, as SEP-1330 has it: `value1`, `value2` and so on. */
const titled = (...titles: string[]) =>
  titles.map((title, index) => z.literal(`value${index + 1}`).meta({ title }))

const inWords = (answer: object | null) =>
  answer ? `action=accept, content=${JSON.stringify(answer)}` : 'action=decline'
