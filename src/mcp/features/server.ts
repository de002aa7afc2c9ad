import { forRevision, type Revision } from '../wire/revisions.ts'
import type { Changes, ListName } from './changes.ts'
import type { Icon } from './content.ts'
import type { Prompt } from './prompt.ts'
import type { Resource } from './resource.ts'
import type { Around, Tool } from './tool.ts'

/**
 * An MCP server is a value: its name and its features. Reuse the same value while the features
 * stay the same: its lists are serialized once for each value.
 */
export interface Server {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
  /** Advice to the model on how to use this server. Some hosts read only the first 512 characters. */
  readonly instructions?: string
  readonly tools?: readonly Tool[]
  readonly resources?: readonly Resource[]
  readonly prompts?: readonly Prompt[]
  /** True if handlers log to clients that request log messages. */
  readonly logs?: boolean
  /** A short name for what this server shows, if callers see different things. A session ends when it changes. */
  readonly view?: string | undefined
  /** Wraps each tool call and each resource read. */
  readonly around?: Around | undefined
  /** Notifies clients when the features change. Hosts hold a stream open for this. */
  readonly changes?: Changes
}

/** The server's self-description in one revision. `brief` leaves out icons and the website. */
export function identity(server: Server, revision: Revision, brief = false): object {
  const { name, version, title, websiteUrl, icons } = server
  return forRevision({ name, version, title, ...(!brief && { websiteUrl, icons }) }, revision)
}

/** A server's capabilities, under the names from the specification. */
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
