// Serves the program that started this one, over its stdin and stdout.
import { createInterface } from 'node:readline'
import { endAsked, GRACE_MS, settled } from './end.mjs'
import { say } from './streams.mjs'

/** Serves one client until it is gone, and closes the gateway. */
export async function overStdio({ write, written }, gateway, name, serveStdio) {
  const asked = endAsked()
  // The client reads no more.
  process.stdout.on('error', () => asked.abort())
  if (process.stdin.isTTY) {
    say(
      'This waits for an MCP host to write to its stdin. Over HTTP: npx tidegate serve. Ctrl+D ends it.',
    )
  }
  const options = {
    ...(await gateway.stdio(name)),
    signal: asked.signal,
    graceMs: GRACE_MS,
    settled,
  }
  await serveStdio({ input: process.stdin, write }, options)
  await settled(gateway.close())
  await settled(written())
}

/** JSON-RPC's code of a server that fails. */
const INTERNAL_ERROR = -32_603

/**
 * Answers every request with what has to be mended first, until the client is gone: hosts show the answer
 * to their first request, and hardly what is on stderr.
 */
export async function refuseOverStdio({ write }, sentence) {
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

function idOf(line) {
  try {
    const { id, method } = JSON.parse(line)
    return typeof method === 'string' ? id : undefined
  } catch {
    return undefined
  }
}
