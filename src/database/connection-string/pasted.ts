import type { Machine } from '../machine.ts'
import type { ConnectionString, RecognisedField } from './recognised.ts'
import type { Service } from './services.ts'

/** The parts of a connection string read so far, decoded. */
export interface StringDraft {
  /** The scheme that our drivers accept. */
  scheme?: string | undefined
  user?: string | undefined
  password?: string | undefined
  /** Hosts, separated by commas. Their ports are also separated by commas, and can be empty. */
  host?: string | undefined
  port?: string | undefined
  database?: string | undefined
  /** All other parameters, by their original names in lower case. */
  readonly params: Map<string, string>
}

/** Messages about a connection string for the person who entered it. They never contain a secret. */
export interface Notes {
  readonly changes: string[]
  readonly hints: string[]
  /** The machine that will open it, unless it is a Worker. */
  readonly machine?: Machine | undefined
  /** The engines that the connection string can be for. */
  readonly engines: readonly StringForms[]
}

/** The ways in which people write connection strings for an engine, and the URLs for our drivers. */
export interface StringForms {
  /** The engine's schemes, with the usual one first, each with the names that other programs have for it. */
  readonly schemes: Readonly<Record<string, readonly string[]>>
  /** Ports that identify the engine. */
  readonly ports?: readonly string[]
  /** True if the keywords in a list such as `Host=…;Username=…` identify the engine. Their names are plain. */
  tells?(keywords: ReadonlyMap<string, string>): boolean
  /** True for the engine whose keywords are separated by spaces: `host=… user=…`. */
  readonly isSpaced?: boolean
  /** The program that opens the database in a terminal. */
  readonly program?: Program
  /** Suffix of the variables that contain the token for a database. */
  readonly tokenVariable?: string
  /** The services that run nothing but this engine. */
  readonly services?: readonly Service[]
  /** Reads an engine-specific form, such as the name of a file. Throws {@link NotRecognised}. */
  read?(text: string, notes: Notes): { readonly url: string; readonly name: string } | undefined
  /** Turns the parts of a connection string into a URL. Throws {@link NotRecognised}. */
  finish(draft: StringDraft, notes: Notes): FinishedUrl
}

/** A URL that our drivers accept, and facts about it. */
export interface FinishedUrl {
  readonly url: string
  readonly encryption: ConnectionString['encryption']
  readonly port: number
}

/** A program that opens a database, and the meanings of its options. */
export interface Program {
  readonly names: readonly string[]
  /** One-letter options that take a value, with their fields. */
  readonly options: Readonly<Record<string, RecognisedField>>
  /** Names of other options without a value, with the parameter that each stands for. */
  readonly flags?: Readonly<Record<string, string>>
  /** The fields for arguments that do not belong to an option. */
  readonly places: readonly RecognisedField[]
  /** The variable that contains the password. */
  readonly variable: string
  /** True if `--password` is followed by a password. Otherwise, the program prompts for it. */
  readonly isPasswordNext?: boolean
}
