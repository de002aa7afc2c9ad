import * as z from 'zod/mini'
import type { AskSignIns, GrantEntry, SignInEntry } from '../sign-ins.ts'
import { ApiFault, answer } from './fault.ts'
import { person } from './keys.ts'
import { moment, named, written } from './lists.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

const idParam = z.object({ id: z.string().check(z.regex(/^gr_[\w-]{16}$/)) })

const ofPerson = z.string().check(z.minLength(1), z.maxLength(200))

const grant = named(
  'Grant',
  z.object({
    id: z.string(),
    person: z.string(),
    /** The app, as it calls itself. */
    client: z.string(),
    /** The host that vouches for the app, if one does. */
    clientDomain: z.optional(z.string()),
    endpoints: z.array(z.string()),
    scopes: z.array(z.string()),
    createdAt: moment,
    /** When the app got tokens last, which it does every hour while it is used. */
    usedAt: moment,
    /** When the grant ends, if the app is not used until then. */
    expiresAt: moment,
  }),
)

const event = named(
  'SignInEvent',
  z.object({
    kind: z.string(),
    person: z.optional(z.string()),
    client: z.optional(z.string()),
    why: z.optional(z.string()),
    /** What a page showed to the person. */
    reference: z.string(),
    time: moment,
  }),
)

/** `/api/grants`, and what else there is of sign-ins. */
export const signInRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/grants',
    summary: 'Lists the grants: which app acts for whom, and until when.',
    query: z.strictObject({
      limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(200)), 50),
      cursor: z.optional(z.string().check(z.regex(/^[\w-]{43}\.[\w-]{16}$/, 'is not from a list'))),
      person: z.optional(ofPerson),
    }),
    answers: {
      200: {
        description: 'A page of grants. One of a person may have `next` though it is not full.',
        schema: z.object({
          grants: z.array(grant),
          /** How many there are, of all people. */
          total: z.int(),
          next: z.optional(z.string()),
        }),
      },
    },
    async run({ query: { cursor, limit, person } }, surroundings) {
      const page = await signIns(surroundings)('grants', { after: cursor, limit, person })
      const { entries, total, next } = page
      return answer({ grants: entries.map(shownGrant), total, next })
    },
  }),
  route({
    method: 'delete',
    path: '/api/grants/{id}',
    summary: 'Revokes a grant. Its app has to ask again.',
    params: idParam,
    answers: { 204: { description: 'Its tokens are refused within 10 seconds.' } },
    says: ({ params: { id } }) => `revoked grant ${id}`,
    async run({ params: { id } }, surroundings) {
      if (!(await signIns(surroundings)('revoke', { id }))) {
        throw new ApiFault(404, 'The grant is not there.')
      }
      return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })
    },
  }),
  route({
    method: 'delete',
    path: '/api/grants',
    summary: 'Revokes all grants of a person, and ends their sessions and codes.',
    query: z.strictObject({ person: ofPerson }),
    answers: {
      200: {
        description: 'How many grants there were. Their tokens are refused within 10 seconds.',
        schema: z.object({ revoked: z.int() }),
      },
    },
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
  route({
    method: 'post',
    path: '/api/signin-codes',
    summary: 'Makes a code that signs one person in, once.',
    body: named('NewSignInCode', z.strictObject({ person: z.optional(person) })),
    answers: {
      201: {
        description: 'The code. This answer is the only one that has it.',
        schema: z.object({ code: z.string(), expiresAt: moment }),
      },
    },
    says: ({ body: { person } }) =>
      person === undefined ? 'made a sign-in code' : `made a sign-in code for ${person}`,
    async run({ body: { person } }, surroundings) {
      const { code, expiresAt } = await signIns(surroundings)('makeCode', { person })
      return answer({ code, expiresAt: written(expiresAt) }, 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/signin-events',
    summary: 'Lists what happened at sign-ins, the newest first.',
    query: z.strictObject({
      limit: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(2_000)), 50),
    }),
    answers: {
      200: {
        description: 'The last events. Older ones than the last 2,000 are forgotten.',
        schema: z.object({ events: z.array(event) }),
      },
    },
    async run({ query: { limit } }, surroundings) {
      const events = await signIns(surroundings)('events', { limit })
      return answer({ events: events.map(shownEvent) })
    },
  }),
]

function signIns({ signIns }: Surroundings): AskSignIns {
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

const shownEvent = ({ at, ...rest }: SignInEntry) => ({ ...rest, time: written(at) })
