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

/**
 * Tools that need an answer from the client first. Each returns its question, and runs again from its
 * first line with the answer: over a stream in the legacy era, and with a new call in the modern era.
 * The tool cannot see the difference.
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
      return answer instanceof InputRequired ? answer : `User response: ${inWords(answer)}`
    },
  }),
  tool({
    name: 'test_sampling',
    description: "Has the client's model answer a prompt.",
    input: z.object({ prompt: z.string().describe('What to ask the model') }),
    run({ prompt }, context) {
      const answer = askModel(context, 'answer', prompt)
      return answer instanceof InputRequired ? answer : `LLM response: ${textOf(answer.content)}`
    },
  }),
  tool({
    name: 'test_input_required_result_multi_round',
    description: 'Asks for a name first, and for a colour when it knows the name.',
    input: z.object({}),
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
  asking({
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks the user to fill in a form that has default values.',
    ask(context) {
      const form = z.object({
        name: z.string().default('John Doe'),
        age: z.int().default(30),
        score: z.number().default(95.5),
        status: z.enum(['active', 'inactive', 'pending']).default('active'),
        verified: z.boolean().default(true),
      })
      return elicit(context, 'form', 'Please check these values', form)
    },
    tell: (answer) => `Elicitation completed: ${inWords(answer)}`,
  }),
  asking({
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks the user to choose, in each way a form can.',
    ask(context) {
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
      return elicit(context, 'choices', 'Please choose', form)
    },
    tell: (answer) => `Elicitation completed: ${inWords(answer)}`,
  }),
  asking({
    name: 'test_streaming_elicitation',
    description: 'Asks the user to continue, and sends nothing else meanwhile.',
    ask: confirm,
  }),
  asking({
    name: 'test_input_required_result_request_state',
    description: 'Asks the user to confirm; the question carries a state that comes back.',
    ask: confirm,
    // A state that is not ours is rejected earlier, so reaching this line proves that it is valid.
    tell: (answer) => `state-ok, ${inWords(answer)}`,
  }),
  asking({
    name: 'test_input_required_result_tampered_state',
    description: 'Asks the user to confirm, and refuses a state that was changed on the way.',
    ask: confirm,
  }),
  asking({
    name: 'test_question_after_disconnect',
    description: 'Closes the connection before it asks; the client reconnects for the question.',
    ask(context) {
      context.disconnect()
      return confirm(context)
    },
    tell: (answer) => `User said ${answer?.ok ? 'yes' : 'no'}`,
  }),
  asking({
    name: 'test_missing_capability',
    description: "Needs the client's model, and refuses to work without one.",
    ask: (context) => askModel(context, 'answer', 'Say something'),
  }),
  asking({
    name: 'test_input_required_result_sampling',
    description: "Has the client's model name the capital of France.",
    ask: (context) => askModel(context, 'capital_question', 'What is the capital of France?'),
    tell: ({ content }) => `The model said: ${textOf(content)}`,
  }),
  asking({
    name: 'test_input_required_result_elicitation',
    description: 'Asks the user for a name and greets them.',
    ask: (context) => askName(context, 'user_name'),
    tell: (user) => `Hello, ${user?.name ?? 'stranger'}!`,
  }),
  asking({
    name: 'test_input_required_result_list_roots',
    description: 'Says which folders the client works in.',
    ask: (context) => listRoots(context, 'client_roots'),
    tell: (roots) => `The client works in ${roots.map(({ uri, name }) => name ?? uri).join(', ')}`,
  }),
  asking({
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks the user, the model and the client, all in one round.',
    ask: (context) =>
      together(
        askName(context, 'user_name'),
        askModel(context, 'greeting', 'Generate a greeting', 50),
        listRoots(context, 'client_roots'),
      ),
  }),
  asking({
    name: 'test_input_required_result_capabilities',
    description: 'Asks the user, the model, or both, as far as the client can.',
    ask(context) {
      const { elicitation, sampling } = context.client.capabilities
      return together(
        elicitation ? askName(context, 'user_name') : null,
        sampling ? askModel(context, 'greeting', 'Generate a greeting', 50) : null,
      )
    },
  }),
]

/** A tool without arguments that asks a question, and reports the answer. */
function asking<Answer>({
  ask,
  tell = (answer) => `All answered: ${JSON.stringify(answer)}`,
  ...named
}: Pick<Tool, 'name' | 'description'> & {
  ask(context: Context): Answer | InputRequired
  tell?(answer: Answer): string
}): Tool {
  const run = (_input: unknown, context: Context) => {
    const answer = ask(context)
    return answer instanceof InputRequired ? answer : tell(answer)
  }
  return tool({ ...named, input: z.object({}), run })
}

/** Asks the user for a name. */
export const askName = (context: Context, key: string) =>
  elicit(context, key, 'What is your name?', z.object({ name: z.string() }))

function confirm(context: Context) {
  return elicit(context, 'confirm', 'Please confirm', z.object({ ok: z.boolean() }))
}

const askModel = (context: Context, key: string, text: string, maxTokens = 100) =>
  sample(context, key, {
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens,
  })

const textOf = (content: unknown) =>
  z.object({ text: z.string() }).safeParse(content).data?.text ?? JSON.stringify(content)

/** Values that a form shows with a title, as in SEP-1330: `value1`, `value2` and so on. */
const titled = (...titles: string[]) =>
  titles.map((title, index) => z.literal(`value${index + 1}`).meta({ title }))

const inWords = (answer: object | null) =>
  answer ? `action=accept, content=${JSON.stringify(answer)}` : 'action=decline'
