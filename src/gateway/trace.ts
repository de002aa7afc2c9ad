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
  const id = known ?? randomDigits()
  const span = randomDigits().slice(16)
  const isSampled = flags === undefined ? sampled : (Number.parseInt(flags, 16) & 1) === 1
  return {
    id,
    span,
    parent,
    sampled: isSampled,
    traceparent: `00-${id}-${span}-${isSampled ? '01' : '00'}`,
  }
}

/** 32 random hexadecimal digits. A UUID has some that are not 0, in both halves. */
const randomDigits = () => crypto.randomUUID().replaceAll('-', '')
