import type { Machine } from '../../database/index.ts'
import type {
  Diagnosis,
  Endpoint,
  GroupRules,
  Preview,
  PreviewAsked,
  QuestionLook,
  SchemaQuestion,
  SchemaView,
  Stage,
} from '../../gateway/index.ts'
import type { CallsEnv } from '../calls.ts'
import type { CredentialSecrets } from '../credential-keys.ts'
import type { Credential, EndpointEntry } from '../entries.ts'
import type { AskRegistry } from '../registry-state.ts'
import type { AskSignIns } from '../sign-ins.ts'

/** What the API needs of the deployment that it is part of. */
export interface Surroundings {
  /** Who asks: `operator`, whoever has TIDEGATE_KEY, or the name of a person. */
  readonly by: string
  /** The endpoints of the configuration. */
  readonly configured: readonly Endpoint[]
  /** Whether they are only the demo, which an endpoint of the registry may replace. */
  readonly isOnlyDemo: boolean
  /** Asks the registry. */
  readonly ask: AskRegistry
  /** The same for an order that changes something: what this isolate knew is forgotten. */
  readonly change: AskRegistry
  /** Asks the authorization server. Undefined where nobody can sign in. */
  readonly signIns: AskSignIns | undefined
  /** The objects that hold the records of calls, and what was used of limits. */
  readonly objects: Pick<CallsEnv, 'METER' | 'RECORDS'>
  readonly secrets: CredentialSecrets
  /** Hosts of databases that may be private, by the configuration. */
  readonly privateHosts: readonly string[]
  /** What of the machine a URL may use. Undefined in a Worker. */
  readonly machine: Machine | undefined
  /** Builds the server of an endpoint once, for a group if there is one. Throws ConfigError. */
  check(candidate: Candidate): Promise<void>
  /** What the operator should know about the rules of a candidate's group. Throws ConfigError. */
  report(candidate: Candidate): Promise<readonly string[]>
  /** Looks whether the verified questions of an endpoint work, or the one of a name. */
  look(
    candidate: Candidate,
    asked: { readonly name?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<QuestionLook>
  /** Inspects the databases of an endpoint, and counts their tables. */
  diagnose(candidate: Candidate, signal: AbortSignal): Promise<readonly Diagnosis[]>
  /** The same stage by stage, and tries whether the engines refuse to write. */
  diagnoseInStages(candidate: Candidate, signal: AbortSignal): AsyncGenerator<Stage | Diagnosis>
  /** What a model gets of a candidate. Throws ConfigError. */
  preview(candidate: Candidate, asked: PreviewAsked, signal: AbortSignal): Promise<Preview>
  /** What is wrong with the settings of the deployment. */
  health(): Promise<Health>
  /** Does what apps do with the endpoint at this URL. */
  hostTest(url: string): Promise<object>
  /** Shows a part of the schema of an endpoint. Throws NoSchema. */
  view(candidate: Candidate, question: SchemaQuestion, signal: AbortSignal): Promise<SchemaView>
}

/** What is known of the settings without asking a database. */
export interface Health {
  /** Why the endpoints of the configuration cannot be read. */
  readonly configuration?: string | undefined
  readonly signIn: {
    readonly state: 'set' | 'missing' | 'faulty'
    /** The settings that name a way to sign in. */
    readonly ways: readonly string[]
    readonly problems: readonly string[]
  }
}

/** An endpoint that may not be stored. */
export interface Candidate {
  readonly entry: Pick<EndpointEntry, 'value'> & Partial<EndpointEntry>
  /** Hosts that may be private, by the settings. */
  readonly privateHosts: readonly string[]
  readonly group?:
    | {
        readonly name: string
        readonly rules: GroupRules
        readonly credentials: Readonly<Record<string, Credential>>
      }
    | undefined
}
