// `tidegate inspect`: what an MCP server offers.
import { Failure } from './api.mjs'
import { overHttp } from './inspect/http.mjs'
import { look } from './inspect/look.mjs'
import { jsonOf, textOf } from './inspect/show.mjs'
import { overStdio } from './inspect/stdio.mjs'

export const inspectCommands = [
  {
    words: 'inspect',
    args: ['URL', '[COMMAND…]'],
    about: 'Shows what an MCP server offers: its tools, resources and prompts.',
    more: `It works on any MCP server: at a URL, or one that is started, as in: npx tidegate inspect -- npx -y tidegate --demo
A star marks an argument that must be given. The hints of a tool are what its author says.`,
    needsKey: false,
    options: {
      'key-env': {
        type: 'string',
        value: 'NAME',
        about: 'the environment variable that holds the key, or a token',
      },
      header: {
        type: 'string',
        multiple: true,
        value: 'NAME:VALUE',
        about: 'a header to send, may be repeated',
      },
      era: { type: 'string', value: 'ERA', about: '"modern" or "legacy"; else what it speaks' },
    },
    async run({ args, options }) {
      if (options.era !== undefined && !['modern', 'legacy'].includes(options.era))
        throw new Failure('The era is "modern" or "legacy".', 2)
      const over = wayTo(args, options)
      try {
        const found = await look(over, options.era)
        console.log(options.json ? jsonOf(found) : textOf(found))
      } finally {
        await over.close()
      }
    },
  },
]

function wayTo(args, options) {
  const [first] = args
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(first)) {
    if (options.header || options['key-env'])
      throw new Failure('A server that is started gets no headers.', 2)
    return overStdio(args)
  }
  if (!/^https?:/i.test(first) || !URL.canParse(first))
    throw new Failure('The URL of an MCP server begins with https:// or http://.', 2)
  if (args.length > 1) throw new Failure('Name one server.', 2)
  const url = new URL(first)
  if (url.username || url.password)
    throw new Failure('Send a key by --key-env, and no user name or password in the URL.', 2)
  return overHttp(url, headersFor(url, options))
}

function headersFor(url, { header = [], 'key-env': keyEnv }) {
  const key = keyEnv === undefined ? usualKey(url) : process.env[keyEnv]
  if (keyEnv !== undefined && !key)
    throw new Failure(`The environment variable ${keyEnv} is not set.`, 2)
  if (key && url.protocol === 'http:' && !isHere(url))
    throw new Failure(`A key is sent by https only, or to this machine: not to ${url.origin}.`, 2)
  const given = header.map((line) => {
    const [, name, value] = /^([\w-]+):[ \t]*(\S[\t\x20-\x7e]*)$/.exec(line) ?? []
    if (!name) throw new Failure('A header is NAME:VALUE.', 2)
    return [name.toLowerCase(), value]
  })
  return { ...(key && { authorization: `Bearer ${key}` }), ...Object.fromEntries(given) }
}

/** The key of one's own deployment, which goes nowhere else. */
function usualKey({ origin }) {
  const { TIDEGATE_KEY, TIDEGATE_URL } = process.env
  const isOwn = URL.canParse(TIDEGATE_URL ?? '') && new URL(TIDEGATE_URL).origin === origin
  return isOwn ? TIDEGATE_KEY : undefined
}

const isHere = ({ hostname }) =>
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
