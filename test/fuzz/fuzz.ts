import type { Rules } from '../../src/database/rules.ts'
import { refuse, single } from '../support/guard.ts'
import { type EngineName, textsFor } from './texts.ts'

/**
 * What an engine makes of a text that the guard let through: it cannot parse it, it sees exactly one
 * statement that only reads, or it sees something else, which is an escape.
 */
export type Verdict = 'unparsed' | 'reads' | { readonly escape: string }

/** An engine's own parser as the judge of the guard. */
export interface Engine {
  readonly name: EngineName
  /** The rules as they are shipped. The judge goes by them, whichever the guard goes by. */
  readonly rules: Rules
  /** Rules against what this judge does not know itself, and who does. */
  readonly unseen: ReadonlyMap<string, string>
  /** How many texts are judged at once. */
  readonly batch: number
  /** A verdict for each text, in their order. */
  judge(texts: readonly string[]): Promise<readonly Verdict[]>
  /** Which parser it was, in which version. */
  version(): string
  close(): Promise<void>
}

/** A text that got past the guard. */
export interface Escape {
  /** The how-manieth of the inputs it is, from 1. */
  readonly input: number
  readonly text: string
  readonly why: string
}

/** What became of the inputs of a run. */
export interface Tally {
  readonly inputs: number
  /** Let through by the guard. */
  readonly accepted: number
  /** Of these, parsed by the engine. */
  readonly parsed: number
  readonly escapes: readonly Escape[]
}

export interface Options {
  readonly count: number
  readonly seed: number
  /** The rules for the guard, if not those of the engine. */
  readonly rules?: Rules
  /** Ends the run after so many escapes. */
  readonly escapes?: number
  onProgress?(tally: Tally): void
}

/** Puts texts before the guard, and what it lets through before the engine, as a driver sends it. */
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
