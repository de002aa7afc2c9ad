import { existsIn, type Revision } from '../wire/revisions.ts'

/** Contents of a resource: text, or bytes in Base64. */
export type ResourceContents = {
  readonly uri: string
  readonly mimeType?: string
} & ({ readonly text: string } | { readonly blob: string })

/** One piece of the output of a tool or a prompt (specification, "Content types"). */
export type Content =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image' | 'audio'
      readonly data: string
      readonly mimeType: string
    }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
    }
  | { readonly type: 'resource'; readonly resource: ResourceContents }

const since: Partial<Record<Content['type'], string>> = {
  audio: '2025-03-26',
  resource_link: '2025-06-18',
}

/** Content for a revision. Types that the revision does not support become text. */
export function contentForRevision(content: Content, revision: Revision): Content {
  if (existsIn({ since: since[content.type] ?? '' }, revision)) return content
  const text =
    content.type === 'resource_link'
      ? `${content.name}: ${content.uri}`
      : `This client cannot read the content here, which is of type ${content.type}.`
  return { type: 'text', text }
}

/** The audience for a resource, and its importance from 0 to 1. */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  readonly priority?: number
  /** ISO 8601. */
  readonly lastModified?: string
}

/** An icon for a server, a tool, a resource or a prompt. */
export interface Icon {
  readonly src: string
  readonly mimeType?: string
  /** Such as `48x48`, or `any`. */
  readonly sizes?: readonly string[]
}
