// `tidegate key …`: callers' keys.
import type { Answers } from '../../registry/index.ts'
import { type Command, command } from '../command.ts'
import { Mistake } from '../terminal/failure.ts'
import { assertSure, print, sure } from '../terminal/output.ts'
import { type TerminalColumn, table, time } from '../terminal/table.ts'
import { listOf } from './api.ts'

export const keyCommands: readonly Command[] = [
  command({
    words: 'key add',
    args: [],
    about: 'Creates a key for callers, and prints it once.',
    options: {
      label: { type: 'string', value: 'TEXT', about: 'what it is for' },
      endpoint: {
        type: 'string',
        multiple: true,
        value: 'NAME',
        about: 'an endpoint that it opens; repeatable; "*" for all',
      },
      expires: {
        type: 'string',
        value: 'WHEN',
        about: 'such as 90d, 12h or 2027-01-31; default: never',
      },
      person: { type: 'string', value: 'NAME', about: 'the name that databases and records see' },
      claim: {
        type: 'string',
        multiple: true,
        value: 'NAME=VALUE',
        about: 'a value for row-level security; repeatable',
      },
    },
    async run({ ask, options }) {
      const { label, endpoint: endpoints, expires, person, claim } = options
      if (!label || !endpoints)
        throw new Mistake(
          'Say what the key is for with --label, and what it opens with --endpoint.',
        )
      const expiresAt = expires === undefined ? undefined : momentOf(expires)
      const claims = claim && Object.fromEntries(claim.map(claimOf))
      const body = { label, endpoints, expiresAt, person, claims }
      const made = await ask<Answers['NewKey']>('POST', '/api/keys', body)
      print(options, made, () => made.key)
      if (options.json) return
      console.error(`This is the key ${made.id}. It is not shown again.`)
      console.error(
        'Send it as Authorization: Bearer KEY. For a host that cannot send a header, the URL is:',
      )
      for (const url of Object.values(made.secretUrls))
        console.error(`  ${url.replace(made.key, 'KEY')}`)
    },
  }),
  command({
    words: 'key list',
    args: [],
    about: 'Lists the keys, without their secret parts.',
    async run({ ask, options }) {
      const keys = await listOf(ask, 'keys')
      print(options, keys, () => table(columns, keys))
    },
  }),
  command({
    words: 'key remove',
    args: ['ID'],
    about: 'Revokes a key.',
    options: sure,
    async run({ ask, args: [id], options }) {
      const path = `/api/keys/${encodeURIComponent(id)}`
      const { label } = await ask<Answers['Key']>('GET', path)
      assertSure(options, `revoke the key ${id} (${label})`)
      await ask('DELETE', path)
      print(
        options,
        { removed: id },
        () => `Revoked ${id}. Takes effect everywhere within 10 seconds.`,
      )
    },
  }),
]

const columns: readonly TerminalColumn<Answers['Key']>[] = [
  ['id', (it) => it.id],
  ['label', (it) => it.label],
  ['endpoints', (it) => it.endpoints.join(', ')],
  ['person', (it) => it.person],
  ['expires (UTC)', (it) => time(it.expiresAt) ?? 'never'],
  ['used (UTC)', (it) => time(it.usedAt) ?? 'not yet'],
]

const HOUR_MS = 3_600_000

/** Parses `90d`, `12h` or a date into a time. */
function momentOf(text: string): string {
  const [, n, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const at = n
    ? Date.now() + Number(n) * HOUR_MS * (unit === 'd' ? 24 : 1)
    : Date.parse(/^\d{4}-\d\d-\d\d/.test(text) ? text : '')
  if (Number.isNaN(at)) throw new Mistake('Write --expires as 90d, 12h or 2027-01-31.')
  return new Date(at).toISOString()
}

function claimOf(text: string): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at < 1) throw new Mistake('Write --claim as NAME=VALUE.')
  return [text.slice(0, at), text.slice(at + 1)]
}
