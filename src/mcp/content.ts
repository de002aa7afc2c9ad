/** What a resource holds: text, or bytes in Base64. */
export type ResourceContents = {
  readonly uri: string
  readonly mimeType?: string
} & ({ readonly text: string } | { readonly blob: string })

/** One piece of what a tool or a prompt says (specification, "Content types"). */
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

/** For whom something is, and how much it matters, from 0 to 1. */
export interface Annotations {
  readonly audience?: readonly ('user' | 'assistant')[]
  readonly priority?: number
  /** ISO 8601. */
  readonly lastModified?: string
}

/** A picture of a server, a tool, a resource or a prompt. */
export interface Icon {
  readonly src: string
  readonly mimeType?: string
  /** Such as `48x48`, or `any`. */
  readonly sizes?: readonly string[]
}
