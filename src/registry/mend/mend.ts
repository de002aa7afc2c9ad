/** What mends a fault: a sentence that says what is true, and the steps that change it. Holds no secret. */
export interface Mend {
  /** What is mended, as a program knows it. */
  readonly kind: MendKind
  /** What is true, and why. */
  readonly sentence: string
  /** What to do, in this order. */
  readonly steps: readonly MendStep[]
  /** Other ways to the same end. */
  readonly others?: readonly MendStep[] | undefined
}

/** One step of a mend. */
export interface MendStep {
  /** A sentence that says what to do. */
  readonly say: string
  /** What to run or to write, to be copied. */
  readonly command?: string | undefined
  /** The words in the command that a person replaces: `PASSWORD`. */
  readonly replace?: readonly string[] | undefined
}

/** What can be mended. */
export type MendKind =
  | 'login'
  | 'database'
  | 'host'
  | 'private'
  | 'unreachable'
  | 'no_tls'
  | 'certificate'
  | 'pooler'
  | 'asleep'
  | 'setup'
  | 'rights'
  | 'slow'
  | 'ours'
