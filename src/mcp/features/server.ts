import { forRevision, type Revision } from '../wire/revisions.ts'
import type { Changes, ListName } from './changes.ts'
import type { Icon } from './content.ts'
import type { Prompt } from './prompt.ts'
import type { Resource } from './resource.ts'
import type { Around, Tool } from './tool.ts'

/**
 * An MCP server is a value: its name and what it offers. Use the same value as long as the offer
 * stays the same: its lists are written once for each value.
 */
export interface Server {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
  /**
   * Advice to the model on how to use this server. Some hosts read only the first 512 characters.
   */
  readonly instructions?: string
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly prompts?: readonly Prompt[]
  /** Handlers log to clients that ask for the log. */
  readonly logs?: boolean
  /** Runs around each call of a tool and each reading of a resource. */
  readonly around?: Around | undefined
  /** Tells clients when the offer changes. Hosts hold a stream open for this. */
  readonly changes?: Changes
}

/**
 * How a server introduces itself in one revision. `brief` leaves out icons and the website. Made
 * once, since every answer may contain it.
 */
export function identity(server: Server, revision: Revision, brief = false): object {
  const known = identities.get(server) ?? new Map<string, object>()
  identities.set(server, known)
  const key = `${revision.version} ${brief}`
  const made = known.get(key)
  if (made) return made
  const { name, version, title, websiteUrl, icons } = server
  const is = forRevision({ name, version, title, ...(!brief && { websiteUrl, icons }) }, revision)
  known.set(key, is)
  return is
}

const identities = new WeakMap<Server, Map<string, object>>()

/** What a server can do, as the specification names it. */
export function capabilities({ tools, resources, prompts, logs, changes }: Server): object {
  const changing = (list: ListName) =>
    changes && (changes.lists?.includes(list) ?? true) && { listChanged: true }
  const completes =
    prompts?.some((it) => it.arguments?.some(({ complete }) => complete)) ||
    resources?.some(({ complete }) => complete)
  return {
    ...(tools && { tools: { ...changing('tools') } }),
    ...(resources && {
      resources: { ...changing('resources'), ...(changes && { subscribe: true }) },
    }),
    ...(prompts && { prompts: { ...changing('prompts') } }),
    ...(completes && { completions: {} }),
    ...(logs && { logging: {} }),
  }
}
