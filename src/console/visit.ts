import type { Answers } from '../registry/index.ts'

export type { Answers }

/** One request to the Console. The operator is signed in, and any form comes from one of our pages. */
export interface ConsoleVisit {
  /** Origin of the request: `https://tidegate.example.workers.dev`. */
  readonly origin: string
  /** True in a Worker, false on Node. */
  readonly isWorker: boolean
  /** Name of the signed-in person, as the change log shows it. */
  readonly operator: string
  /** Hidden field of every form. */
  readonly formToken: string
  /** Hash of the proof that every form needs, if the session has one. */
  readonly proofHash?: string | undefined
  /** Fields of the submitted form. */
  readonly fields: URLSearchParams
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Display name for the scheme of a database URL: `PostgreSQL`. */
  titleOf(scheme: string): string | undefined
  /** Calls this deployment's API without the network, at a path such as `/endpoints`. */
  send(path: string, init?: RequestInit): Promise<Response>
  /** Sends a request to an endpoint as an app would (revision 2026-07-28), with the operator's access. */
  mcp(
    endpoint: string,
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<RpcAnswer>
}

/** Response from an endpoint (JSON-RPC). */
export interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Reason the API refused a request. */
export interface ApiRefusal {
  readonly message: string
  /** Path of the wrong field: `caps.rows`. Inputs have these paths as names. */
  readonly field?: string | undefined
}

/** Response from the API: the requested data, or a refusal. */
export type ApiAnswer<Body = unknown> =
  | {
      readonly ok: true
      readonly status: number
      readonly body: Body
      readonly refused?: undefined
    }
  | {
      readonly ok: false
      readonly status: number
      readonly refused: ApiRefusal
      readonly body?: undefined
    }

/** Calls the API with a JSON body. A refusal does not throw. */
export async function ask<Body = unknown>(
  { send, signal }: ConsoleVisit,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  sent?: unknown,
): Promise<ApiAnswer<Body>> {
  const answer = await send(path, {
    method,
    signal,
    ...(sent !== undefined && {
      body: JSON.stringify(sent),
      headers: { 'content-type': 'application/json' },
    }),
  })
  const { status } = answer
  const text = await answer.text()
  const body = text ? JSON.parse(text) : undefined
  if (answer.ok) return { ok: true, status, body }
  return {
    ok: false,
    status,
    refused: body?.error ?? { message: `The API returned status ${status}.` },
  }
}

/** Thrown for something that does not exist. The page answers 404. */
export class NotFound extends Error {
  override readonly name = 'NotFound'
}

/** Calls the API, and throws if it refuses: {@link NotFound} with this message for status 404. */
export async function demand<Body = unknown>(
  visit: ConsoleVisit,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  missing?: string,
): Promise<Body> {
  const answer = await ask<Body>(visit, method, path)
  if (answer.ok) return answer.body
  if (answer.status === 404 && missing) throw new NotFound(missing)
  throw new Error(answer.refused.message)
}
