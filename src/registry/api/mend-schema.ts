import * as z from 'zod/mini'
import { named } from './lists.ts'

const step = z.object({
  /** A sentence that says what to do. */
  say: z.string(),
  /** What to run or to write. */
  command: z.optional(z.string()),
  /** The words in the command that a person replaces. */
  replace: z.optional(z.array(z.string())),
})

/** What mends a fault. */
export const mendSchema = named(
  'Mend',
  z.object({
    /** What is mended, for a program. */
    kind: z.string(),
    /** What is true, and why. */
    sentence: z.string(),
    /** What to do, in this order. */
    steps: z.array(step),
    /** Other ways to the same end. */
    others: z.optional(z.array(step)),
  }),
)
