import * as z from 'zod/mini'
import type { AskSignIns, GrantEntry } from '../sign-ins.ts'
import { ApiFault, answer, nothing } from './fault.ts'
import { person } from './keys.ts'
import { answerPage, limited, moment, named, pageOf, text, written } from './lists.ts'
import { type Route, route } from './route.ts'
import type { ApiContext } from './surroundings.ts'

const idParam = z.object({ id: z.string().check(z.regex(/^gr_[\w-]{16}$/)) })

export const grant = named(
  'Grant',
  z.object({
    id: z.string(),
    person: z.string(),
    /** The app's name for itself. */
    client: z.string(),
    /** The host that vouches for the app, if any. */
    clientDomain: z.optional(z.string()),
    endpoints: z.array(z.string()),
    scopes: z.array(z.string()),
    createdAt: moment,
    /** Time when the app last got tokens, which it does every hour while it is in use. */
    usedAt: moment,
    /** Time when the grant ends, if the app is not used before then. */
    expiresAt: moment,
  }),
)

export const event = named(
  'SignInEvent',
  z.object({
    kind: z.string(),
    person: z.optional(z.string()),
    client: z.optional(z.string()),
    why: z.optional(z.string()),
    /** The reference that the page showed to the person. */
    reference: z.string(),
    time: moment,
  }),
)

export const signInCode = z.object({ code: z.string(), expiresAt: moment })

/** `/api/grants` and the other routes for sign-ins. */
export const signInRoutes = (): readonly Route[] => [
  route('get', '/api/grants', {
    summary: 'Lists the grants: which app acts for whom, and until when.',
    query: z.strictObject({
      limit: limited(200, 50),
      cursor: z.optional(z.string().check(z.regex(/^[\w-]{43}\.[\w-]{16}$/, 'is not from a list'))),
      person: z.optional(text(200)),
    }),
    answers: [
      200,
      'A page of grants. `total` counts the grants of all people. A page for one person can have `next` even if it is not full.',
      pageOf('grants', grant),
    ],
    async run({ query: { cursor, limit, person } }, surroundings) {
      const page = await signIns(surroundings)('grants', { after: cursor, limit, person })
      return answerPage('grants', page, shownGrant)
    },
  }),
  route('delete', '/api/grants/{id}', {
    summary: 'Revokes a grant. Its app has to ask again.',
    params: idParam,
    answers: [204, 'Its tokens are refused within 10 seconds.'],
    says: ({ params: { id } }) => `revoked grant ${id}`,
    async run({ params: { id } }, surroundings) {
      if (!(await signIns(surroundings)('revoke', { id }))) {
        throw new ApiFault(404, 'The grant does not exist.')
      }
      return nothing()
    },
  }),
  route('delete', '/api/grants', {
    summary: 'Revokes all of a person’s grants, and ends their sessions and codes.',
    query: z.strictObject({ person: text(200) }),
    answers: [
      200,
      'The number of revoked grants. Their tokens are refused within 10 seconds.',
      z.object({ revoked: z.int() }),
    ],
    says: ({ query: { person } }) => `revoked all grants of ${person}`,
    async run({ query: { person } }, surroundings) {
      const ask = signIns(surroundings)
      let revoked = 0
      let after: string | undefined
      do {
        const { grants, next } = await ask('revokeOf', { person, after })
        revoked += grants
        after = next
      } while (after !== undefined)
      return answer({ revoked })
    },
  }),
  route('post', '/api/signin-codes', {
    summary: 'Makes a code that signs one person in once.',
    body: named('NewSignInCode', z.strictObject({ person: z.optional(person) })),
    answers: [201, 'The code. Only this response shows it.', signInCode],
    says: ({ body: { person } }) =>
      person === undefined ? 'made a sign-in code' : `made a sign-in code for ${person}`,
    async run({ body: { person } }, surroundings) {
      const { code, expiresAt } = await signIns(surroundings)('makeCode', { person })
      return answer({ code, expiresAt: written(expiresAt) }, 201)
    },
  }),
  route('get', '/api/signin-events', {
    summary: 'Lists sign-in events, newest first.',
    query: z.strictObject({ limit: limited(2_000, 50) }),
    answers: [
      200,
      'The latest events. Only the latest 2,000 are kept.',
      z.object({ events: z.array(event) }),
    ],
    async run({ query: { limit } }, surroundings) {
      const events = await signIns(surroundings)('events', { limit })
      return answer({ events: events.map(({ at, ...it }) => ({ ...it, time: written(at) })) })
    },
  }),
]

function signIns({ signIns }: ApiContext): AskSignIns {
  if (!signIns) throw new ApiFault(503, NO_SIGN_IN)
  return signIns
}

const NO_SIGN_IN =
  'Nobody can sign in here yet. Set TIDEGATE_SECRET, and TIDEGATE_PASSPHRASE or a provider. In a Worker: npx wrangler secret put NAME. On Node: the environment. For npm start: a line NAME=… in .dev.vars.'

const shownGrant = ({ createdAt, usedAt, expiresAt, ...rest }: GrantEntry) => ({
  ...rest,
  createdAt: written(createdAt),
  usedAt: written(usedAt),
  expiresAt: written(expiresAt),
})
