import type { ApiRequest } from './manage/api.ts'

/** An option, as `parseArgs` reads it and --help shows it. */
export interface CommandOption {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
  readonly short?: string
  /** The word for its value in --help. */
  readonly value?: string
  readonly about: string
}

export type CommandOptions = Readonly<Record<string, CommandOption>>

/** The values of options. */
export type OptionValues<Named extends CommandOptions> = {
  readonly [Name in keyof Named]?: ValueOf<Named[Name]> | undefined
}

type ValueOf<One extends CommandOption> = One extends { readonly multiple: true }
  ? string[]
  : One['type'] extends 'boolean'
    ? boolean
    : string

/** The types of a command's arguments: one in brackets is optional, and `…` stands for all that follow. */
type ArgumentsOf<Names extends readonly string[]> = number extends Names['length']
  ? readonly string[]
  : Names extends readonly [infer First extends string, ...infer Rest extends readonly string[]]
    ? First extends `${string}…]`
      ? readonly string[]
      : First extends `[${string}`
        ? readonly [first?: string, ...rest: ArgumentsOf<Rest>]
        : readonly [first: string, ...rest: ArgumentsOf<Rest>]
    : readonly []

/** The options that every command accepts. */
export const common = {
  json: { type: 'boolean', about: 'print JSON, for scripts' },
  help: { type: 'boolean', short: 'h', about: 'print this' },
} as const

/** A command of `npx tidegate`. */
export interface Command<
  Names extends readonly string[] = readonly string[],
  Named extends CommandOptions = CommandOptions,
> {
  /** The words that call it. */
  readonly words: string
  /** The names of its arguments. */
  readonly args: Names
  readonly about: string
  /** More about it, for its --help. */
  readonly more?: string
  readonly options?: Named
  /** Runs it with a deployment's admin API. Returns an exit code, unless it is 0. */
  run?(given: { readonly ask: ApiRequest } & CommandInput<Names, Named>): Exit
  /** The same, for a command that does not contact a deployment, or not as an admin. */
  runHere?(given: CommandInput<Names, Named>): Exit
}

interface CommandInput<Names extends readonly string[], Named extends CommandOptions> {
  readonly args: ArgumentsOf<Names>
  readonly options: OptionValues<Named & typeof common>
}

type Exit = Promise<number | undefined> | Promise<void> | number | void

/** Defines a command. The types of its arguments and options come from their declarations. */
export const command = <
  const Names extends readonly string[],
  const Named extends CommandOptions = Record<never, never>,
>(
  it: Command<Names, Named>,
): Command => it as Command
