import { once } from 'node:events'
import { aboutNow } from '../../node/command.ts'
import { type Gateway, listen } from '../../node/index.ts'
import type { Arguments } from './arguments.ts'
import { endAsked, settled, WRITING_MS } from './end.ts'
import type { GatewayKeys } from './keys.ts'
import { logLines, say, show } from './streams.ts'
import { isForOwner } from './variables.ts'

/** Listens over HTTP, prints the address, and closes the gateway when a signal ends it. */
export async function serveHttp(
  gateway: Gateway,
  { port = 8787, host = '127.0.0.1', proxied = false, origin = [], verbose }: Arguments,
  { key, keptIn, problem: weak }: GatewayKeys,
): Promise<void> {
  logLines(aboutNow)
  const asked = endAsked()
  const server = await listen(verbose ? printing(gateway) : gateway, {
    ...{ port, host, proxied, origins: origin },
  })
  if (!proxied && !isForOwner({ way: 'http', host })) {
    say(
      'Other machines can reach it over plain HTTP: put a proxy with TLS in front, and add --proxied and --origin.',
    )
  }
  if (weak) say(weak)
  const problem = gateway.problem()
  if (problem) say(`The configuration is not served. ${problem}`)
  const [first = ''] = origin.join(' ').split(/[\s,]+/)
  const base = proxied ? new URL(first).origin : server.url
  say(`Serves ${base}/mcp, and the Console at ${base}/console.`)
  if (proxied) say(`It listens on ${server.url}, for the proxy.`)
  // The only secret that is printed, because nobody else knows it.
  if (key) show(`tidegate: Generated a key: ${key}`)
  if (keptIn) say(`The key is in ${keptIn}.`)
  else if (key) say('Set TIDEGATE_KEY to use the same key at the next start.')
  if (!asked.signal.aborted) await once(asked.signal, 'abort')
  await server.close()
  await settled(gateway.close(), WRITING_MS)
}

/** Wraps the gateway to print a line for each response. */
const printing = (gateway: Gateway): Pick<Gateway, 'fetch'> => ({
  async fetch(request, from) {
    const response = await gateway.fetch(request, from)
    const { pathname } = new URL(request.url)
    console.info(withoutKeys(`${request.method} ${pathname} ${response.status}`))
    return response
  },
})

/** A log line without the keys in it: request URLs can be secret URLs, and can be encoded. */
const withoutKeys = (line: string): string =>
  line.replaceAll(/tg(?:_|%5f)[\w%]{8,}/gi, 'tg_…').replaceAll(/\/(?:k|%6b)\/[^/\s]+/gi, '/k/…')
