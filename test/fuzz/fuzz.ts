import type { Rules } from '../../src/database/rules.ts'
import { refuse, single } from '../support/guard.ts'
import { type EngineName, textsFor } from './texts.ts'

/**
 * How an engine reads a text that the guard accepted: it cannot parse it, it finds exactly one statement
 * that only reads, or it finds something else, which is an escape.
 */
export type Verdict = 'unparsed' | 'reads' | { readonly escape: string }

/** An engine's own parser as the judge of the guard. */
export interface Engine {
  readonly name: EngineName
  /** The rules of the product. The judge always uses them, even if the guard uses others. */
  readonly rules: Rules
  /** Rules that this judge cannot test, each with the reason. */
  readonly unseen: ReadonlyMap<string, string>
  /** The number of texts that are judged at once. */
  readonly batch: number
  /** A verdict for each text, in the same order. */
  judge(texts: readonly string[]): Promise<readonly Verdict[]>
  /** The name and version of the parser. */
  version(): string
  close(): Promise<void>
}

/** A text that got past the guard. */
export interface Escape {
  /** The number of the input, from 1. */
  readonly input: number
  readonly text: string
  readonly why: string
}

/** The outcome of a run. */
export interface Tally {
  readonly inputs: number
  /** The number that the guard accepted. */
  readonly accepted: number
  /** The number of accepted texts that the engine could parse. */
  readonly parsed: number
  readonly escapes: readonly Escape[]
}

export interface Options {
  readonly count: number
  readonly seed: number
  /** The rules for the guard, if they differ from those of the engine. */
  readonly rules?: Rules
  /** Ends the run after this many escapes. */
  readonly escapes?: number
  onProgress?(tally: Tally): void
}

/** Runs texts through the guard, and sends the accepted ones to the engine like a driver. */
export async function fuzz(engine: Engine, options: Options): Promise<Tally> {
  const { count, seed, rules = engine.rules, escapes: most = 10 } = options
  const texts = textsFor(engine.name, seed)
  const [escapes, waiting]: [Escape[], { input: number; text: string }[]] = [[], []]
  let [inputs, accepted, parsed] = [0, 0, 0]
  const tally = () => ({ inputs, accepted, parsed, escapes })
  while (inputs < count && escapes.length < most) {
    const input = ++inputs
    const text = texts.next().value
    if (refuse(text, rules) === undefined) waiting.push({ input, text: single(text, rules) })
    if (inputs % 100_000 === 0) options.onProgress?.(tally())
    if (waiting.length < engine.batch && inputs < count) continue
    const verdicts = await engine.judge(waiting.map(({ text }) => text))
    accepted += waiting.length
    for (const [i, verdict] of verdicts.entries()) {
      if (verdict !== 'unparsed') parsed++
      if (typeof verdict === 'object') escapes.push({ ...waiting[i]!, why: verdict.escape })
    }
    waiting.length = 0
  }
  return { ...tally(), escapes: escapes.slice(0, most) }
}
