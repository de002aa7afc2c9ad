/** One check: what was seen, and what to do about it. */
export interface Finding {
  readonly id: string
  readonly hosts: readonly string[]
  readonly state: 'ok' | 'note' | 'problem'
  readonly seen: string
  readonly mend?: string
}

/** How requests are sent, and names are looked up. */
interface Io {
  fetch(url: string | URL, init: RequestInit): Promise<Response>
  lookup?(name: string): Promise<readonly { readonly address: string }[]>
}

export function examine(
  pasted: string,
  options?: { readonly register?: boolean },
  io?: Io,
): Promise<{
  readonly findings: readonly Finding[]
  verdicts(): readonly { readonly name: string; readonly verdict: string }[]
}>
