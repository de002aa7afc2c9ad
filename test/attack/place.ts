import type { UnguardedDatabase } from '../../src/database/database.ts'
import type { Scene } from '../support/witness.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

/** An engine that runs, and everything in it that is to be attacked. */
export interface Engine {
  /** With the version: `PostgreSQL 18.4`. */
  readonly title: string
  readonly places: readonly Place[]
  close(): Promise<void>
}

/** One way to an engine in one role: an endpoint, and the same without one layer. */
export interface Place {
  /** As a table has it: `TCP`. */
  readonly way: string
  /** As a table has it: `superuser`. */
  readonly role: string
  /** The tools of the endpoint: the guard and the engine's own refusal together. */
  readonly tools: Tools
  /** The driver with no guard in front of it. */
  readonly engineAlone: Unlayered
  /** The guard in front of a client that lets the engine do whatever it is sent. */
  readonly guardAlone: Unlayered
  /** A statement whose one row tells the settings of a session. */
  readonly settings?: string
  readonly scene: Scene
  /** What must stand in no answer. */
  readonly secrets: readonly string[]
  /** Nothing but the end of its process ends a statement here: this has another take its place. */
  revive?(): Promise<void>
  /** Why statements that never end are left out. */
  readonly endless?: string
}

/** A database that is short of a layer. */
export interface Unlayered extends Pick<UnguardedDatabase, 'query'> {
  /** Where its statements leave traces, if not where those of the tools do. */
  readonly scene?: Scene
}

/** What a client of raw statements answers with: nobody looks at its rows. */
export const nothing = { columns: [], rows: [], truncated: false, elapsedMs: 0 } as const

/** The result of a tool, or why there is none. */
export interface ToolResult {
  readonly isError?: boolean
  readonly content?: readonly { readonly text?: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: every tool has a shape of its own
  readonly structuredContent?: any
}

/** Calls a tool by name. `patient`: at the endpoint whose caps let a read take its time. */
export type Tools = (name: string, args: object, patient?: boolean) => Promise<ToolResult>

/** Milliseconds that an attack may take. It is a cap of the operator's, and may be any number. */
export const TIMEOUT_MS = 400
const PATIENT_MS = 20_000

/** What is started with these variables. */
type Start = (variables: Record<string, string>) => Promise<Pick<RunningWorker, 'url' | 'close'>>

/** Starts what serves each of these databases by name, and gives back their tools. */
export async function startEndpoints(
  urls: Readonly<Record<string, string>>,
  start: Start = startWorker,
) {
  const secrets: Record<string, string> = {}
  const endpoints = Object.entries(urls).flatMap(([name, url], i) => {
    const open = /^(?:demo:|d1:\w)/.test(url)
    if (!open) secrets[`URL_${i}`] = url
    const databases = { it: { url: open ? url : `secret:URL_${i}` } }
    const endpoint = { title: name, access: 'public', databases }
    return [
      { ...endpoint, name, caps: { timeoutMs: TIMEOUT_MS } },
      { ...endpoint, name: `${name}-patient`, caps: { timeoutMs: PATIENT_MS } },
    ]
  })
  const worker = await start({
    ...secrets,
    ENDPOINTS: JSON.stringify(endpoints),
    TIDEGATE_KEY: '',
  })
  return {
    ...worker,
    toolsOf:
      (name: string): Tools =>
      async (tool, args, patient) => {
        const response = await fetch(`${worker.url}/mcp/${name}${patient ? '-patient' : ''}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
            params: { name: tool, arguments: args },
          }),
          signal: AbortSignal.timeout(PATIENT_MS + 5_000),
        })
        const { result, error } = JSON.parse(await response.text())
        return result ?? { isError: true, content: [{ text: `${error.code} ${error.message}` }] }
      },
  }
}
