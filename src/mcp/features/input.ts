import * as z from 'zod/mini'
import { type $ZodObject, type output, safeParse } from 'zod/v4/core'
import { codes, invalidRequest, isObject, RpcError } from '../wire/jsonrpc.ts'
import { toJsonSchema } from '../wire/schema.ts'
import type { Context } from './context.ts'

/** A request to the client, without a JSON-RPC id: each era sends it in its own way. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * A handler returns this if it cannot finish until the client answers. It then runs again from the
 * beginning, with the answers in `context.answers`. So ask before you act.
 */
export class InputRequired {
  readonly requests: Readonly<Record<string, InputRequest>>

  constructor(requests: Readonly<Record<string, InputRequest>>) {
    this.requests = requests
  }
}

/** Maximum number of rounds of questions. A handler that asks more counts as stuck. */
export const MAX_ROUNDS = 8

/**
 * Asks several questions in one round. Returns the answers in order, or one
 * {@link InputRequired} with all questions that are still open.
 *
 * @example
 *
 * ```ts
 * const answers = together(elicit(context, 'name', 'Who are you?', form), listRoots(context, 'roots'))
 * if (answers instanceof InputRequired) return answers
 * const [name, roots] = answers
 * ```
 */
export function together<const Asked extends readonly unknown[]>(
  ...asked: Asked
): { [I in keyof Asked]: Exclude<Asked[I], InputRequired> } | InputRequired {
  const open = asked.filter((it) => it instanceof InputRequired)
  if (open.length > 0) return new InputRequired(Object.assign({}, ...open.map((it) => it.requests)))
  return asked as { [I in keyof Asked]: Exclude<Asked[I], InputRequired> }
}

/**
 * Asks the user to fill in a form. Returns the values, or null if the user declined. While there is
 * no answer, returns an {@link InputRequired}, which the handler must return.
 *
 * @example
 *
 * ```ts
 * const answer = elicit(context, 'confirm', 'Delete 12 rows?', z.object({ agree: z.boolean() }))
 * if (answer instanceof InputRequired) return answer
 * ```
 */
export function elicit<Form extends $ZodObject>(
  context: Context,
  key: string,
  message: string,
  form: Form,
): output<Form> | null | InputRequired {
  const answer = answered.safeParse(context.answers[key]).data
  if (answer && answer.action !== 'accept') return null
  const filled = safeParse(form, answer?.content)
  if (answer && filled.success) return filled.data
  const { elicitation } = context.client.capabilities
  // An empty object means forms, which were the only kind at first.
  const forms = isObject(elicitation) && (isObject(elicitation.form) || !('url' in elicitation))
  if (!forms) throw missing(context, { elicitation: { form: {} } })
  const requestedSchema = toJsonSchema(form, 'input')
  return question(key, 'elicitation/create', { mode: 'form', message, requestedSchema })
}

/**
 * Asks the user to visit a page. Use it for data that must not pass through the client, such as a
 * password. Returns true if the user agreed. Only the page knows whether they finished there.
 */
export function elicitUrl(
  context: Context,
  key: string,
  message: string,
  url: string,
): boolean | InputRequired {
  const answer = answered.safeParse(context.answers[key]).data
  if (answer) return answer.action === 'accept'
  const elicitation = context.client.capabilities.elicitation
  if (!isObject(elicitation) || !isObject(elicitation.url))
    throw missing(context, { elicitation: { url: {} } })
  return question(key, 'elicitation/create', {
    mode: 'url',
    message,
    url,
    elicitationId: crypto.randomUUID(),
  })
}

/** Asks the client's model for a message (specification, "Sampling"). */
export function sample(
  context: Context,
  key: string,
  params: Readonly<Record<string, unknown>>,
): SamplingResult | InputRequired {
  const answer = sampled.safeParse(context.answers[key])
  if (answer.success) return answer.data
  require(context, 'sampling')
  return question(key, 'sampling/createMessage', params)
}

/** Asks for the directories that the client works in (specification, "Roots"). */
export function listRoots(context: Context, key: string): readonly Root[] | InputRequired {
  const answer = roots.safeParse(context.answers[key])
  if (answer.success) return answer.data.roots
  require(context, 'roots')
  return question(key, 'roots/list', {})
}

const answered = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(z.unknown()),
})
const sampled = z.looseObject({
  role: z.string(),
  content: z.unknown(),
  model: z.string(),
})
const root = z.object({ uri: z.string(), name: z.optional(z.string()) })
const roots = z.object({ roots: z.array(root) })

export type SamplingResult = z.infer<typeof sampled>
export type Root = z.infer<typeof root>

const question = (key: string, method: InputRequest['method'], params: InputRequest['params']) =>
  new InputRequired({ [key]: { method, params } })

function require(context: Context, capability: 'sampling' | 'roots'): void {
  if (!isObject(context.client.capabilities[capability]))
    throw missing(context, { [capability]: {} })
}

function missing({ revision }: Context, requiredCapabilities: object): RpcError {
  const [name] = Object.keys(requiredCapabilities)
  // The legacy revisions do not have this code.
  return revision.era === 'modern'
    ? new RpcError(codes.missingCapability, `This needs a client that supports ${name}.`, {
        requiredCapabilities,
      })
    : invalidRequest(`This needs a session with a client that supports ${name}.`)
}
