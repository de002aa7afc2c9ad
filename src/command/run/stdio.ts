import type { Pipe, StdioOptions, serveStdio } from '../../mcp/index.ts'
import { endAsked, GRACE_MS, settled } from './end.ts'
import { type Output, say } from './streams.ts'

/** Something to serve over stdio. */
interface StdioService {
  stdio(): Promise<Pick<StdioOptions, 'server' | 'stores' | 'seal'>>
  close(): Promise<void>
}

/** Serves the program that started this one, over its stdin and stdout, until it is gone. */
export async function overStdio(
  { write, written }: Output,
  served: StdioService,
  serve: typeof serveStdio,
): Promise<void> {
  const asked = endAsked()
  // The client has stopped reading.
  process.stdout.on('error', () => asked.abort())
  if (process.stdin.isTTY) {
    say(
      'Waiting for an MCP host to write to stdin. For HTTP, use npx tidegate serve. Ctrl+D ends this.',
    )
  }
  const pipe: Pipe = { input: process.stdin, write: (line) => write(line) }
  await serve(pipe, { ...(await served.stdio()), signal: asked.signal, graceMs: GRACE_MS })
  await settled(served.close())
  await settled(written())
}
