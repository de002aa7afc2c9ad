import * as z from 'zod/mini'
import { type $ZodObject, type output, safeParse } from 'zod/v4/core'
import { codes, isObject, RpcError } from '../wire/jsonrpc.ts'
import { toJsonSchema } from '../wire/schema.ts'
import type { Context } from './context.ts'

/** A request to the client, kept without its JSON-RPC id: the era decides how it travels. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Returned by a handler that cannot finish until the client answers. The handler is then run again
 * from its beginning with `context.answers` filled in, so ask before you act.
 */
export class InputRequired {
  readonly requests: Readonly<Record<string, InputRequest>>

  constructor(requests: Readonly<Record<string, InputRequest>>) {
    this.requests = requests
  }
}

/**
 * Asks several questions in one round. Gives back the answers, in order, or one
 * {@link InputRequired} for all that are not answered yet.
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
 * Asks the user to fill in a form. Gives back what they filled in, null if they declined, or an
 * {@link InputRequired} for the handler to return if they have not answered yet.
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
  // An empty object means forms, from before there was anything else.
  const forms = isObject(elicitation) && (isObject(elicitation.form) || !('url' in elicitation))
  if (!forms) throw missing(context, { elicitation: { form: {} } })
  const requestedSchema = toJsonSchema(form, 'input')
  return question(key, 'elicitation/create', { mode: 'form', message, requestedSchema })
}

/**
 * Asks the user to visit a page, for what must not pass through the client, such as a password.
 * Gives back whether they agreed to; that they have done there what was asked, the page knows.
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

/** Has the client's model write a message (specification, "Sampling"). */
export function sample(
  context: Context,
  key: string,
  params: Readonly<Record<string, unknown>>,
): Sampled | InputRequired {
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

export type Sampled = z.infer<typeof sampled>
export type Root = z.infer<typeof root>

const question = (key: string, method: InputRequest['method'], params: InputRequest['params']) =>
  new InputRequired({ [key]: { method, params } })

function require(context: Context, capability: 'sampling' | 'roots'): void {
  if (!isObject(context.client.capabilities[capability]))
    throw missing(context, { [capability]: {} })
}

function missing({ revision }: Context, requiredCapabilities: object): RpcError {
  const [name] = Object.keys(requiredCapabilities)
  // The code is younger than the legacy revisions.
  return revision.era === 'modern'
    ? new RpcError(codes.missingCapability, `This needs a client that supports ${name}.`, {
        requiredCapabilities,
      })
    : new RpcError(
        codes.invalidRequest,
        `This needs a session with a client that supports ${name}.`,
      )
}
