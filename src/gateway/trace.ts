/** The place of a call in a trace (W3C Trace Context). */
export interface Trace {
  /** 32 and 16 hexadecimal digits. */
  readonly id: string
  readonly span: string
  /** The span of the client, if it is part of a trace. */
  readonly parent: string | undefined
  readonly sampled: boolean
  /** What the databases of the call are told. */
  readonly traceparent: string
}

/** A new span in the trace of the client, or in a new trace. `traceparent` is valid, if there is one. */
export function traceOf(traceparent: string | undefined, sampled: boolean): Trace {
  const [, known, parent, flags] = traceparent?.split('-') ?? []
  const id = known ?? hexadecimal(16)
  const span = hexadecimal(8)
  const isSampled = flags === undefined ? sampled : (Number.parseInt(flags, 16) & 1) === 1
  return {
    id,
    span,
    parent,
    sampled: isSampled,
    traceparent: `00-${id}-${span}-${isSampled ? '01' : '00'}`,
  }
}

function hexadecimal(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes))
  // All zeros would be no id.
  random[0]! |= 1
  return Array.from(random, (it) => it.toString(16).padStart(2, '0')).join('')
}
