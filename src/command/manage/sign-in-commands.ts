// Commands about people who sign in: codes, grants and events.
import { counted } from '../../ground/index.ts'
import type { Answers } from '../../registry/index.ts'
import { type Command, command } from '../command.ts'
import { Mistake } from '../terminal/failure.ts'
import { assertSure, print, sure } from '../terminal/output.ts'
import { type TerminalColumn, table, time } from '../terminal/table.ts'
import { listOf } from './api.ts'
import { last, lastOf } from './last.ts'

const ofPerson = (about: string) => ({ person: { type: 'string', value: 'NAME', about } }) as const

export const signInCommands: readonly Command[] = [
  command({
    words: 'signin-code',
    args: [],
    about: 'Creates a one-time code that signs one person in within ten minutes.',
    options: ofPerson('their name for databases, records and groups'),
    async run({ ask, options }) {
      const { person } = options
      const made = await ask<Answers['SignInCode']>('POST', '/api/signin-codes', { person })
      print(options, made, () => made.code)
      if (options.json) return
      const until = `It works once, until ${time(made.expiresAt)} UTC.`
      console.error(`${until} They enter it instead of the passphrase.`)
    },
  }),
  command({
    words: 'signin-events',
    args: [],
    about: 'Prints sign-in events, newest last.',
    options: { last },
    async run({ ask, options }) {
      const { events } = await ask<{ events: Answers['SignInEvent'][] }>(
        'GET',
        `/api/signin-events?limit=${lastOf(options, 4)}`,
      )
      events.reverse()
      print(options, events, () => table(eventColumns, events))
    },
  }),
  command({
    words: 'grant list',
    args: [],
    about: 'Lists the apps that act for people, and when their access ends.',
    options: ofPerson('only those for this person'),
    async run({ ask, options }) {
      const { person } = options
      const grants = await listOf(ask, 'grants', person === undefined ? {} : { person })
      print(options, grants, () => table(grantColumns, grants))
    },
  }),
  command({
    words: 'grant revoke',
    args: ['[ID]'],
    about: 'Revokes a grant, or all grants of a --person. They must sign in again.',
    options: { ...ofPerson('the person: all of their grants, sessions and codes'), ...sure },
    async run({ ask, args: [id], options }) {
      const { person } = options
      if ((id === undefined) === (person === undefined)) {
        throw new Mistake('Name one grant by its id, or a person with --person NAME.')
      }
      assertSure(
        options,
        id ? `end the grant ${id}` : `end every grant, session and code of ${person}`,
      )
      const within = 'Takes effect everywhere within 10 seconds.'
      if (id) {
        await ask('DELETE', `/api/grants/${encodeURIComponent(id)}`)
        print(options, { revoked: 1 }, () => `Ended ${id}. ${within}`)
        return
      }
      const query = new URLSearchParams({ person: person ?? '' })
      const done = await ask<{ revoked: number }>('DELETE', `/api/grants?${query}`)
      print(options, done, () => `Ended ${counted(done.revoked, 'grant')} of ${person}. ${within}`)
    },
  }),
]

const grantColumns: readonly TerminalColumn<Answers['Grant']>[] = [
  ['id', (it) => it.id],
  ['person', (it) => it.person],
  ['app', (it) => it.client],
  ['verified as', (it) => it.clientDomain],
  ['endpoints', (it) => it.endpoints.join(', ')],
  ['used (UTC)', (it) => time(it.usedAt)],
  ['until (UTC)', (it) => time(it.expiresAt)],
]

const eventColumns: readonly TerminalColumn<Answers['SignInEvent']>[] = [
  ['time (UTC)', (it) => time(it.time)],
  ['what', (it) => it.kind],
  ['person', (it) => it.person],
  ['app', (it) => it.client],
  ['why', (it) => it.why],
  ['reference', (it) => it.reference],
]
