import type { Reason } from './error.ts'
import type { Platform } from './machine.ts'

/** A fix for a fault: a sentence that states the fault, and the steps that repair it. Contains no secrets. */
export interface Fix {
  /** The fault's kind, for programs. */
  readonly kind: FixKind
  /** The fault and its cause. */
  readonly sentence: string
  /** The steps, in order. */
  readonly steps: readonly FixStep[]
  /** Alternative steps with the same result. */
  readonly others?: readonly FixStep[] | undefined
}

/** One step of a fix. */
export interface FixStep {
  /** A sentence with the instruction. */
  readonly message: string
  /** The text to run or to write, ready to copy. */
  readonly command?: string | undefined
  /** The words in the command that a person must replace: `PASSWORD`. */
  readonly replace?: readonly string[] | undefined
}

/** The faults that have a fix. */
export type FixKind =
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

/** The database to fix. */
export interface FixPlace {
  /** The platform that this runs on. Defaults to a Worker. */
  readonly platform?: Platform | undefined
  /** Its URL scheme: `postgres`, `hyperdrive`. */
  readonly scheme: string
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/** The fixes that depend on the engine. If one is left out, general wording replaces it. */
export interface EngineFixes {
  /** Fixes a refused login. Its sentence replaces the usual one. */
  login?(
    place: FixPlace,
    reason: Reason | undefined,
  ): { readonly sentence?: string; readonly steps: readonly FixStep[] }
  /** A command that tries the login from another program. */
  tryLogin?(place: FixPlace, server: { readonly host: string; readonly port: number }): string
  /** Fixes a missing database: a command that lists the names, or the whole fix. */
  listDatabases?(place: FixPlace, server: { readonly host: string; readonly port: number }): string
  database?(place: FixPlace): Pick<Fix, 'sentence' | 'steps'> | undefined
  /** Steps for another way to reach the same database, without a certificate. */
  instead?(place: FixPlace): readonly FixStep[]
  /** A sentence about the connection string that Hyperdrive accepts. It begins with a space. */
  hyperdriveNote?(place: FixPlace): string
  /** Hyperdrive's modes for verifying a certificate: by its authority, and also by its name. */
  readonly sslModes?: readonly [authority: string, name: string]
  /** A step that turns on encryption on the server, and a URL parameter that turns it off. */
  readonly encryption?: { readonly step: FixStep; readonly without: string }
}
