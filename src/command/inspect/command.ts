// `tidegate inspect`: the tools, resources and prompts of an MCP server.
import { isLoopback } from '../../ground/index.ts'
import { command, type OptionValues } from '../command.ts'
import { Mistake } from '../terminal/failure.ts'
import { readVariable } from '../terminal/read-secret.ts'
import type { McpConnection } from './look.ts'
import { jsonOf, textOf } from './show.ts'
import { overStdio } from './stdio.ts'

const inspectOptions = {
  'key-env': {
    type: 'string',
    value: 'NAME',
    about: 'the environment variable that holds the key, or a token',
  },
  header: {
    type: 'string',
    multiple: true,
    value: 'NAME:VALUE',
    about: 'a header to send; repeatable',
  },
  era: { type: 'string', value: 'ERA', about: '"modern" or "legacy"; default: detected' },
} as const

export const inspectCommand = command({
  words: 'inspect',
  args: ['URL', '[COMMAND…]'],
  about: 'Shows the tools, resources and prompts of an MCP server.',
  more: `It works with any MCP server: at a URL, or started by a command: npx tidegate inspect -- npx -y tidegate --demo
A star marks a required argument. A tool's hints are claims by its author.`,
  options: inspectOptions,
  async runHere({ args: [first, ...rest], options }) {
    const { era } = options
    if (era !== undefined && era !== 'modern' && era !== 'legacy')
      throw new Mistake('The era must be "modern" or "legacy".')
    const connect = wayTo(first, rest, options)
    const { look } = await import('./look.ts')
    const over = await connect()
    try {
      const found = await look(over, era)
      console.log(options.json ? jsonOf(found) : textOf(found))
    } finally {
      await over.close()
    }
  },
})

/** Makes the function that connects, once the command is known to be right. */
function wayTo(
  first: string,
  rest: readonly string[],
  options: OptionValues<typeof inspectOptions>,
): () => Promise<McpConnection> {
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(first)) {
    if (options.header || options['key-env']) throw new Mistake('--header works only with a URL.')
    return async () => overStdio(first, rest)
  }
  if (!/^https?:/i.test(first) || !URL.canParse(first))
    throw new Mistake('The URL of an MCP server begins with https:// or http://.')
  if (rest.length > 0) throw new Mistake('Name one server.')
  const url = new URL(first)
  if (url.username || url.password)
    throw new Mistake('Send a key with --key-env instead of a user name or password in the URL.')
  const headers = headersFor(url, options)
  return async () => {
    const { overHttp } = await import('./http.ts')
    return overHttp(url, headers)
  }
}

function headersFor(
  url: URL,
  { header = [], 'key-env': keyEnv }: OptionValues<typeof inspectOptions>,
): Record<string, string> {
  const key = keyEnv === undefined ? usualKey(url) : readVariable(keyEnv)
  if (key && url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new Mistake(`A key is sent only over https, or to this machine, not to ${url.origin}.`)
  const given = header.map((line) => {
    const [, name, value] = /^([\w-]+):[ \t]*(\S[\t\x20-\x7e]*)$/.exec(line) ?? []
    if (!name) throw new Mistake('Write --header as NAME:VALUE.')
    return [name.toLowerCase(), value]
  })
  return { ...(key && { authorization: `Bearer ${key}` }), ...Object.fromEntries(given) }
}

/** The key for your own deployment, which is never sent anywhere else. */
function usualKey({ origin }: URL): string | undefined {
  const { TIDEGATE_KEY, TIDEGATE_URL = '' } = process.env
  const isOwn = URL.canParse(TIDEGATE_URL) && new URL(TIDEGATE_URL).origin === origin
  return isOwn ? TIDEGATE_KEY : undefined
}
