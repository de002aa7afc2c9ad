import { elicit, InputRequired, type Prompt } from 'tidegate/mcp'
import * as z from 'zod'
import { embedded, png } from './media.ts'

/** Prompts for a menu: plain text, text with arguments, and other content. */
export const prompts: readonly Prompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'Words without blanks.',
    get: () => 'This is a simple prompt for testing.',
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Words with two blanks.',
    arguments: [
      {
        name: 'arg1',
        description: 'The first blank',
        required: true,
        complete: (begun) => ['test', 'testing', 'paris'].filter((it) => it.startsWith(begun)),
      },
      { name: 'arg2', description: 'The second blank', required: true },
    ],
    get: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource, and a question about it.',
    arguments: [{ name: 'resourceUri', description: 'What to embed', required: true }],
    get: ({ resourceUri: uri = '' }) => [
      { role: 'user', content: embedded(uri, 'text/plain', 'Embedded resource content.') },
      { role: 'user', content: { type: 'text', text: 'What does the resource above say?' } },
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'An image, and a question about it.',
    get: () => [
      { role: 'user', content: { type: 'image', ...png } },
      { role: 'user', content: { type: 'text', text: 'What is in the image above?' } },
    ],
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks the user for the context.',
    get(_args, context) {
      const form = z.object({ context: z.string() })
      const answer = elicit(context, 'user_context', 'What context should the prompt use?', form)
      if (answer instanceof InputRequired) return answer
      return `Work with this context: ${answer?.context ?? 'none'}`
    },
  },
]
