import type { Machine } from '../../database/index.ts'
import type {
  Diagnosis,
  DiagnosisStage,
  Endpoint,
  GroupRules,
  Preview,
  PreviewAsked,
  QuestionLook,
  SchemaQuestion,
  SchemaView,
} from '../../gateway/index.ts'
import type { CallsEnv } from '../calls/calls.ts'
import type { CredentialSecrets } from '../keys/credential-keys.ts'
import type { AskSignIns } from '../sign-ins.ts'
import type { Credential, EndpointEntry } from '../state/entries.ts'
import type { AskRegistry } from '../state/registry-state.ts'

/** The parts of the deployment that the API uses. */
export interface ApiContext {
  /** The requester: `operator` for anyone with TIDEGATE_KEY, or the name of a person. */
  readonly by: string
  /** The endpoints in the configuration. */
  readonly configured: readonly Endpoint[]
  /** True if they are only the demo, which an endpoint in the registry can replace. */
  readonly isOnlyDemo: boolean
  /** Queries the registry. */
  readonly ask: AskRegistry
  /** The same for an order that changes something. This isolate then also clears its cache. */
  readonly change: AskRegistry
  /** Queries the authorization server. Undefined where nobody can sign in. */
  readonly signIns: AskSignIns | undefined
  /** The objects that hold the registry, the call records, and the usage counted for limits. */
  readonly objects: Pick<CallsEnv, 'METER' | 'RECORDS'> & {
    readonly REGISTRY: DurableObjectNamespace
  }
  /** The operator's key, so that the API can warn if it is weak. */
  readonly adminKey?: string | undefined
  readonly secrets: CredentialSecrets
  /** Database hosts that are allowed to be private, from the configuration. */
  readonly privateHosts: readonly string[]
  /** Local resources that a URL can use. Undefined in a Worker. */
  readonly machine: Machine | undefined
  /** Builds an endpoint's server once, for its group if there is one. Throws ConfigError. */
  check(candidate: CandidateEndpoint): Promise<void>
  /** Notes for the operator about the rules of a candidate's group. Throws ConfigError. */
  report(candidate: CandidateEndpoint): Promise<readonly string[]>
  /** Checks whether an endpoint's verified questions work, or only the named question. */
  look(
    candidate: CandidateEndpoint,
    asked: { readonly name?: string | undefined; readonly signal?: AbortSignal },
  ): Promise<QuestionLook>
  /** Inspects an endpoint's databases and counts their tables. */
  diagnose(candidate: CandidateEndpoint, signal: AbortSignal): Promise<readonly Diagnosis[]>
  /** The same stage by stage. Also tests whether the engines refuse to write. */
  diagnoseInStages(
    candidate: CandidateEndpoint,
    signal: AbortSignal,
  ): AsyncGenerator<DiagnosisStage | Diagnosis>
  /** The model's view of a candidate. Throws ConfigError. */
  preview(candidate: CandidateEndpoint, asked: PreviewAsked, signal: AbortSignal): Promise<Preview>
  /** The call counters, in the Prometheus text format. */
  metrics(): Promise<string>
  /** Problems with the deployment's settings. */
  health(): Promise<object>
  /** Makes the requests that apps make to the endpoint at this URL. */
  hostTest(url: string): Promise<object>
  /** Shows a part of an endpoint's schema. Throws NoSchema. */
  view(
    candidate: CandidateEndpoint,
    question: SchemaQuestion,
    signal: AbortSignal,
  ): Promise<SchemaView>
}

/** An endpoint that is not necessarily stored. */
export interface CandidateEndpoint {
  readonly entry: Pick<EndpointEntry, 'value'> & Partial<EndpointEntry>
  /** Hosts that are allowed to be private, from the settings. */
  readonly privateHosts: readonly string[]
  readonly group?:
    | {
        readonly name: string
        readonly rules: GroupRules
        readonly credentials: Readonly<Record<string, Credential>>
      }
    | undefined
}
