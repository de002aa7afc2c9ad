// `tidegate key …`: the keys of callers.
import { Failure, listOf } from './api.mjs'
import { assertSure, print, sure } from './output.mjs'
import { table, time } from './table.mjs'

export const keyCommands = [
  {
    words: 'key add',
    args: [],
    about: 'Makes a key for callers, and prints it once.',
    options: {
      label: { type: 'string', value: 'TEXT', about: 'what it is for' },
      endpoint: {
        type: 'string',
        multiple: true,
        value: 'NAME',
        about: 'an endpoint that it opens, may be repeated; "*" for all',
      },
      expires: {
        type: 'string',
        value: 'WHEN',
        about: 'such as 90d, 12h or 2027-01-31; else never',
      },
      person: { type: 'string', value: 'NAME', about: 'who databases and records see' },
      claim: {
        type: 'string',
        multiple: true,
        value: 'NAME=VALUE',
        about: 'what row-level security reads, may be repeated',
      },
    },
    async run({ ask, options }) {
      const { label, endpoint: endpoints, expires, person, claim } = options
      if (!label || !endpoints)
        throw new Failure(
          'Say what the key is for with --label, and what it opens with --endpoint.',
          2,
        )
      const expiresAt = expires === undefined ? undefined : momentOf(expires)
      const claims = claim && Object.fromEntries(claim.map(claimOf))
      const made = await ask('POST', '/api/keys', { label, endpoints, expiresAt, person, claims })
      print(options, made, () => made.key)
      if (options.json) return
      console.error(`This is the key ${made.id}. It is not shown again.`)
      console.error(
        'Send it as Authorization: Bearer KEY. For a host that sends no header, the URL is:',
      )
      for (const url of Object.values(made.secretUrls))
        console.error(`  ${url.replace(made.key, 'KEY')}`)
    },
  },
  {
    words: 'key list',
    args: [],
    about: 'Lists the keys, without their secret parts.',
    async run({ ask, options }) {
      const keys = await listOf(ask, 'keys')
      print(options, keys, () => table(columns, keys))
    },
  },
  {
    words: 'key remove',
    args: ['ID'],
    about: 'Revokes a key.',
    options: sure,
    async run({ ask, args: [id], options }) {
      const path = `/api/keys/${encodeURIComponent(id)}`
      const { label } = await ask('GET', path)
      assertSure(options, `revoke the key ${id} (${label})`)
      await ask('DELETE', path)
      print(
        options,
        { removed: id },
        () => `Revoked ${id}. This holds everywhere within 10 seconds.`,
      )
    },
  },
]

const columns = [
  ['id', (it) => it.id],
  ['label', (it) => it.label],
  ['endpoints', (it) => it.endpoints.join(', ')],
  ['person', (it) => it.person],
  ['expires (UTC)', (it) => time(it.expiresAt) ?? 'never'],
  ['used (UTC)', (it) => time(it.usedAt) ?? 'not yet'],
]

const UNIT_MS = { h: 3_600_000, d: 86_400_000 }

/** The moment that `90d`, `12h` or a date means. */
function momentOf(text) {
  const [, n, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const at = n
    ? Date.now() + n * UNIT_MS[unit]
    : Date.parse(/^\d{4}-\d\d-\d\d/.test(text) ? text : '')
  if (Number.isNaN(at)) throw new Failure('Write --expires as 90d, 12h or 2027-01-31.', 2)
  return new Date(at).toISOString()
}

function claimOf(text) {
  const at = text.indexOf('=')
  if (at < 1) throw new Failure('Write --claim as NAME=VALUE.', 2)
  return [text.slice(0, at), text.slice(at + 1)]
}
