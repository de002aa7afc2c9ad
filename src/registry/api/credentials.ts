import * as z from 'zod/mini'
import { type CredentialSecrets, keyProblem, secretProblem } from '../keys/credential-keys.ts'
import type { AskSignIns } from '../sign-ins.ts'
import type { Credential } from '../state/entries.ts'
import { boundOf } from '../state/open-credential.ts'
import { sealingKeys } from './connection.ts'
import { answer } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import type { ApiContext } from './surroundings.ts'

/** Number of credentials read at once, and maximum number resealed in one request. */
const PAGE = 100
const MAX_RESEALED = 1_000

/** Number of sign-in values read at once, and maximum number of such reads in one request. */
const SIGN_IN_PAGE = 500
const MAX_SIGN_IN_PAGES = 20

/** Maximum number of unreadable credentials listed in one response. */
const MAX_NAMED = 100

export const status = named(
  'Status',
  z.object({
    /** Number of entries in the registry. */
    endpoints: z.int(),
    keys: z.int(),
    groups: z.int(),
    credentials: z.int(),
    /** Number of credentials that are not sealed with the current TIDEGATE_SECRET. */
    credentialsToReseal: z.optional(z.int()),
    /** The same for stored sign-ins: grants, tokens and sessions. */
    signInsToReseal: z.optional(z.int()),
    /** Problem with TIDEGATE_SECRET, if any. */
    secretProblem: z.optional(z.string()),
    /** A warning if TIDEGATE_KEY is easy to guess. */
    keyProblem: z.optional(z.string()),
    /** True if TIDEGATE_SECRET_PREVIOUS is also set. */
    hasPreviousSecret: z.boolean(),
  }),
)

const resealed = z.object({
  resealed: z.int(),
  /** Number of credentials still to reseal. Repeat the request until it is 0. */
  left: z.int(),
  /** Credentials that neither secret can open. Set their connection strings again. */
  unreadable: z.array(
    z.object({ endpoint: z.string(), database: z.string(), group: z.optional(z.string()) }),
  ),
  /** The same for stored sign-ins. People must sign in again if neither secret can open the value. */
  signIns: z.optional(z.object({ resealed: z.int(), left: z.int(), unreadable: z.int() })),
})

/** `/api/status` and `/api/credentials` */
export const credentialRoutes = (): readonly Route[] => [
  route('get', '/api/status', {
    summary:
      'Shows the number of entries in the registry, and whether its secret can seal credentials.',
    answers: [200, 'The status.', status],
    async run(_, surroundings) {
      const { ask, secrets, signIns } = surroundings
      const problem = secretProblem(secrets.TIDEGATE_SECRET)
      const weak = keyProblem(surroundings.adminKey)
      const keyId = problem ? undefined : await currentKeyId(secrets)
      const sealing = keyId && (await signIns?.('sealing', undefined))
      const others = keyId && (await ask('credentialsNotUnder', { keyId, limit: 0 }))
      return answer({
        ...(await ask('counts', undefined)),
        ...(others && { credentialsToReseal: others.total }),
        ...(sealing && { signInsToReseal: sealing.toReseal }),
        ...(problem && { secretProblem: problem }),
        ...(weak && { keyProblem: weak }),
        hasPreviousSecret: Boolean(secrets.TIDEGATE_SECRET_PREVIOUS),
      })
    },
  }),
  route('post', '/api/credentials/reseal', {
    summary: 'Reseals credentials and sign-ins that were sealed with the previous TIDEGATE_SECRET.',
    answers: [200, 'What was done, and what is left.', resealed],
    says: () => 'resealed credentials and sign-ins',
    run: async (_, surroundings) => answer(await reseal(surroundings)),
  }),
]

/** The id of the key that seals credentials. */
export const currentKeyId = async (secrets: CredentialSecrets): Promise<string> =>
  (await sealingKeys(secrets).seal('', '')).keyId

async function reseal({ ask, change, secrets, signIns }: ApiContext) {
  const keys = sealingKeys(secrets)
  const keyId = await currentKeyId(secrets)
  const unreadable: Credential[] = []
  let done = 0
  let after = ''
  let found: readonly Credential[]
  do {
    found = (await ask('credentialsNotUnder', { keyId, after, limit: PAGE })).entries
    const entries: { was: Credential; is: Credential }[] = []
    for (const was of found) {
      const url = await keys.open(was.sealed, boundOf(was))
      if (url === undefined) unreadable.push(was)
      else entries.push({ was, is: { ...was, sealed: await keys.seal(url, boundOf(was)) } })
    }
    if (entries.length > 0) done += (await change('reseal', { entries })).done
    after = found.at(-1)?.id ?? after
  } while (found.length === PAGE && done < MAX_RESEALED)
  const { total } = await ask('credentialsNotUnder', { keyId, limit: 0 })
  return {
    resealed: done,
    left: total - unreadable.length,
    unreadable: unreadable
      .slice(0, MAX_NAMED)
      .map(({ endpoint, database, group }) => ({ endpoint, database, group })),
    ...(signIns && { signIns: await resealSignIns(signIns) }),
  }
}

async function resealSignIns(ask: AskSignIns) {
  let resealed = 0
  let after: string | undefined = ''
  for (let pages = 0; after !== undefined && pages < MAX_SIGN_IN_PAGES; pages++) {
    const order = { after, limit: SIGN_IN_PAGE }
    const page: Awaited<ReturnType<typeof ask<'reseal'>>> = await ask('reseal', order)
    resealed += page.resealed
    after = page.next
  }
  const { toReseal } = await ask('sealing', undefined)
  return after === undefined
    ? { resealed, left: 0, unreadable: toReseal }
    : { resealed, left: toReseal, unreadable: 0 }
}
