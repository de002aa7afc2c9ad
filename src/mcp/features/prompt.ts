import { invalidParams, isObject, type RpcParams } from '../wire/jsonrpc.ts'
import { exceededArgumentBound } from '../wire/limits.ts'
import { forRevision, type Revision } from '../wire/revisions.ts'
import { type Complete, completionOf } from './completion.ts'
import { type Content, contentForRevision, type Icon } from './content.ts'
import type { Context } from './context.ts'
import { InputRequired } from './input.ts'

/** A prompt argument. Prompts take only strings. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
  readonly complete?: Complete
}

export interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Content
}

/** A prompt that a person picks from a menu. */
export interface Prompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly icons?: readonly Icon[]
  readonly arguments?: readonly PromptArgument[]
  /** Fills in the prompt. A string becomes one user message. */
  get(args: Readonly<Record<string, string>>, context: Context): Messages | Promise<Messages>
}

type Messages = string | readonly PromptMessage[] | InputRequired

/** A prompt as `prompts/list` shows it in one revision. */
export function describePrompt(it: Prompt, revision: Revision): object {
  const { name, title, description, icons } = it
  const args = it.arguments?.map(({ complete, ...shown }) => forRevision(shown, revision))
  return forRevision({ name, title, description, icons, arguments: args }, revision)
}

/** Fills in the prompt that `params` names. */
export async function getPrompt(
  prompts: readonly Prompt[],
  params: RpcParams,
  context: Context,
): Promise<RpcParams | InputRequired> {
  const prompt = find(prompts, params.name)
  const args = isObject(params.arguments) ? params.arguments : {}
  const exceeded = exceededArgumentBound(args)
  if (exceeded) throw invalidParams(exceeded)
  for (const { name, required } of prompt.arguments ?? []) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    if (value === undefined ? required : typeof value !== 'string') {
      throw invalidParams(`${prompt.name} needs ${name} as a string.`)
    }
  }
  const messages = await prompt.get(args as Record<string, string>, context)
  if (messages instanceof InputRequired) return messages
  return {
    description: prompt.description,
    messages:
      typeof messages === 'string'
        ? [{ role: 'user', content: { type: 'text', text: messages } }]
        : messages.map(({ role, content }) => ({
            role,
            content: contentForRevision(content, context.revision),
          })),
  }
}

/** Completes an argument of the prompt `name`. */
export function completePrompt(
  prompts: readonly Prompt[],
  name: unknown,
  argument: { name: string; value: string },
  others: Readonly<Record<string, string>>,
  context: Context,
): Promise<{ completion: object }> {
  const complete = find(prompts, name).arguments?.find((it) => it.name === argument.name)?.complete
  return completionOf(complete, argument.value, others, context)
}

function find(prompts: readonly Prompt[], name: unknown): Prompt {
  const prompt = prompts.find((it) => it.name === name)
  if (!prompt) throw invalidParams('There is no such prompt: call prompts/list for the names.')
  return prompt
}
