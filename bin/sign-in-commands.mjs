// Commands about people who sign in: codes, grants, and what happened.
import { Failure, listOf } from './api.mjs'
import { assertSure, print, sure } from './output.mjs'
import { count, table, time } from './table.mjs'

const ofPerson = (about) => ({ person: { type: 'string', value: 'NAME', about } })

export const signInCommands = [
  {
    words: 'signin-code',
    args: [],
    about: 'Makes a code that signs one person in, once, within ten minutes.',
    options: ofPerson('who they are for databases, records and groups'),
    async run({ ask, options }) {
      const { person } = options
      const made = await ask('POST', '/api/signin-codes', { person })
      print(options, made, () => made.code)
      if (options.json) return
      const until = `It is good once, until ${time(made.expiresAt)} UTC.`
      console.error(`${until} They type it in place of the passphrase.`)
    },
  },
  {
    words: 'signin-events',
    args: [],
    about: 'Prints what happened at sign-ins, the newest last.',
    options: { last: { type: 'string', value: 'N', about: 'how many; else 50' } },
    async run({ ask, options }) {
      const { last = '50' } = options
      if (!/^\d{1,4}$/.test(last)) throw new Failure('--last is a number, such as 50.', 2)
      const { events } = await ask('GET', `/api/signin-events?limit=${last}`)
      events.reverse()
      print(options, events, () => table(eventColumns, events))
    },
  },
  {
    words: 'grant list',
    args: [],
    about: 'Lists which app acts for whom, and until when.',
    options: ofPerson('only those of this person'),
    async run({ ask, options }) {
      const { person } = options
      const grants = await listOf(ask, 'grants', person === undefined ? {} : { person })
      print(options, grants, () => table(grantColumns, grants))
    },
  },
  {
    words: 'grant revoke',
    args: ['[ID]'],
    about: 'Ends a grant; or with --person all that a person has, who then signs in anew.',
    options: { ...ofPerson('who has left: all of their grants, sessions and codes'), ...sure },
    async run({ ask, args: [id], options }) {
      const { person } = options
      if ((id === undefined) === (person === undefined)) {
        throw new Failure('Name one grant by its id, or a person with --person NAME.', 2)
      }
      assertSure(options, id ? `end the grant ${id}` : `end all that ${person} has`)
      const within = 'This holds everywhere within 10 seconds.'
      if (id) {
        await ask('DELETE', `/api/grants/${encodeURIComponent(id)}`)
        return print(options, { revoked: 1 }, () => `Ended ${id}. ${within}`)
      }
      const done = await ask('DELETE', `/api/grants?${new URLSearchParams({ person })}`)
      print(options, done, () => `Ended ${count(done.revoked, 'grant')} of ${person}. ${within}`)
    },
  },
]

const grantColumns = [
  ['id', (it) => it.id],
  ['person', (it) => it.person],
  ['app', (it) => it.client],
  ['verified as', (it) => it.clientDomain],
  ['endpoints', (it) => it.endpoints.join(', ')],
  ['used (UTC)', (it) => time(it.usedAt)],
  ['until (UTC)', (it) => time(it.expiresAt)],
]

const eventColumns = [
  ['time (UTC)', (it) => time(it.time)],
  ['what', (it) => it.kind],
  ['person', (it) => it.person],
  ['app', (it) => it.client],
  ['why', (it) => it.why],
  ['reference', (it) => it.reference],
]
