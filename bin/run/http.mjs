// Serves over HTTP until it is told to end.
import { once } from 'node:events'
import { endAsked, settled } from './end.mjs'
import { say, show } from './streams.mjs'
import { isForOwner } from './variables.mjs'

/** Listens, says where, and closes the gateway in the end. */
export async function overHttp(
  gateway,
  { port = 8787, host = '127.0.0.1', proxied },
  { key, keptIn, isShort },
  listen,
) {
  const asked = endAsked()
  const server = await listen(gateway, { port, host, proxied })
  if (!proxied && !isForOwner({ way: 'http', host })) {
    say(
      'Other machines can reach it, by plain HTTP: put a proxy with TLS in front, and add --proxied.',
    )
  }
  if (isShort)
    say('TIDEGATE_KEY is short, and may be guessed. This makes one: openssl rand -hex 32')
  const problem = gateway.problem()
  if (problem) say(`What is configured is not served. ${problem}`)
  say(`Serves ${server.url}/mcp, and the Console at ${server.url}/console.`)
  // The one secret that is shown: nobody else could know it.
  if (key) show(`tidegate: Made a key: ${key}`)
  if (keptIn) say(`The key is in ${keptIn}.`)
  else if (key) say('Set TIDEGATE_KEY to have the same one at the next start.')
  if (!asked.signal.aborted) await once(asked.signal, 'abort')
  await server.close()
  await settled(gateway.close())
}
