import { createInterface } from 'node:readline'
import { isObject } from '../../ground/index.ts'
import { endAsked } from './end.ts'
import type { Output } from './streams.ts'

/** JSON-RPC code for a failing server. */
const INTERNAL_ERROR = -32_603

/**
 * Answers every request with the problem to fix first, until the client is gone. Hosts show the response
 * to their first request, but rarely stderr.
 */
export async function refuseOverStdio({ write }: Output, sentence: string): Promise<void> {
  if (process.stdin.isTTY) return
  const asked = endAsked()
  process.stdout.on('error', () => asked.abort())
  const lines = createInterface({ input: process.stdin })
  asked.signal.addEventListener('abort', () => lines.close())
  const error = { code: INTERNAL_ERROR, message: sentence }
  for await (const line of lines) {
    const id = idOf(line)
    if (id !== undefined) await write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`)
  }
}

function idOf(line: string): unknown {
  try {
    const message: unknown = JSON.parse(line)
    return isObject(message) && typeof message.method === 'string' ? message.id : undefined
  } catch {
    return undefined
  }
}
