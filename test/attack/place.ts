import type { UnguardedDatabase } from '../../src/database/database.ts'
import type { Scene } from '../support/witness.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

/** A running engine, and all the ways to attack it. */
export interface Engine {
  /** With the version: `PostgreSQL 18.4`. */
  readonly title: string
  readonly places: readonly Place[]
  close(): Promise<void>
}

/** One connection to an engine with one role: an endpoint, and the same without one layer. */
export interface Place {
  /** For a table: `TCP`. */
  readonly way: string
  /** For a table: `superuser`. */
  readonly role: string
  /** The tools of the endpoint, with both the guard and the restrictions of the engine. */
  readonly tools: Tools
  /** The driver without the guard. */
  readonly engineAlone: Unlayered
  /** The guard with a client that sends every statement unchanged. */
  readonly guardAlone: Unlayered
  /** A statement that returns the settings of a session in one row. */
  readonly settings?: string
  readonly scene: Scene
  /** Text that must not be in any answer. */
  readonly secrets: readonly string[]
  /** Replaces the process, if that is the only way to stop a statement. */
  revive?(): Promise<void>
  /** The reason to skip statements that never end. */
  readonly endless?: string
}

/** A database without one of the layers. */
export interface Unlayered extends Pick<UnguardedDatabase, 'query'> {
  /** The state that its statements can change, if it is not the same as for the tools. */
  readonly scene?: Scene
}

/** The answer of a client for raw statements. Its rows are not used. */
export const nothing = { columns: [], rows: [], truncated: false, elapsedMs: 0 } as const

/** The result of a tool, or an error. */
export interface ToolResult {
  readonly isError?: boolean
  readonly content?: readonly { readonly text?: string }[]
  // biome-ignore lint/suspicious/noExplicitAny: every tool has its own shape
  readonly structuredContent?: any
}

/** Calls a tool by name. `patient` uses the endpoint with a long timeout. */
export type Tools = (name: string, args: object, patient?: boolean) => Promise<ToolResult>

/** The milliseconds that an attack may take. An operator can set this cap to any number. */
export const TIMEOUT_MS = 400
const PATIENT_MS = 20_000

/** Starts a gateway with these variables. */
type Start = (variables: Record<string, string>) => Promise<Pick<RunningWorker, 'url' | 'close'>>

/** Starts a gateway with an endpoint for each of these databases, and returns their tools. */
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
