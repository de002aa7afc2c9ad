import * as z from 'zod/mini'
import { type CredentialSecrets, secretProblem } from '../credential-keys.ts'
import type { Credential } from '../entries.ts'
import { boundOf } from '../open-credential.ts'
import type { AskSignIns } from '../sign-ins.ts'
import { sealingKeys } from './connection.ts'
import { answer } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import type { Surroundings } from './surroundings.ts'

/** Credentials that are read at once, and those that one request seals again. */
const PAGE = 100
const MAX_RESEALED = 1_000

/** Values of sign-ins that are read at once, and how often in one request. */
const SIGN_IN_PAGE = 500
const MAX_SIGN_IN_PAGES = 20

/** Credentials that cannot be read and are named in one answer. */
const MAX_NAMED = 100

const status = named(
  'Status',
  z.object({
    /** How much the registry holds. */
    endpoints: z.int(),
    keys: z.int(),
    groups: z.int(),
    credentials: z.int(),
    /** Credentials that are not sealed with the present TIDEGATE_SECRET. */
    credentialsToReseal: z.optional(z.int()),
    /** The same for what is kept of sign-ins: grants, tokens, sessions. */
    signInsToReseal: z.optional(z.int()),
    /** What is wrong with TIDEGATE_SECRET. */
    secretProblem: z.optional(z.string()),
    /** Whether TIDEGATE_SECRET_PREVIOUS is set, too. */
    hasPreviousSecret: z.boolean(),
  }),
)

const resealed = z.object({
  resealed: z.int(),
  /** How many are still to be sealed again: repeat the request. */
  left: z.int(),
  /** Those that neither of the two secrets opens. Set their connection strings again. */
  unreadable: z.array(
    z.object({
      endpoint: z.string(),
      database: z.string(),
      group: z.optional(z.string()),
    }),
  ),
  /** The same for what is kept of sign-ins. People sign in again where neither secret opens it. */
  signIns: z.optional(z.object({ resealed: z.int(), left: z.int(), unreadable: z.int() })),
})

/** `/api/status` and `/api/credentials` */
export const credentialRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/status',
    summary:
      'Shows how much the registry holds, and whether its secret is fit to seal credentials.',
    answers: { 200: { description: 'The status.', schema: status } },
    async run(_, surroundings) {
      const { ask, secrets, signIns } = surroundings
      const problem = secretProblem(secrets.TIDEGATE_SECRET)
      const keyId = problem ? undefined : await currentKeyId(secrets)
      const isReady = keyId !== undefined
      const sealing = isReady ? await signIns?.('sealing', undefined) : undefined
      const others = keyId && (await ask('credentialsNotUnder', { keyId, limit: 0 }))
      return answer({
        ...(await ask('counts', undefined)),
        ...(others && { credentialsToReseal: others.total }),
        ...(sealing && { signInsToReseal: sealing.toReseal }),
        ...(problem && { secretProblem: problem }),
        hasPreviousSecret: Boolean(secrets.TIDEGATE_SECRET_PREVIOUS),
      })
    },
  }),
  route({
    method: 'post',
    path: '/api/credentials/reseal',
    summary:
      'Seals credentials and sign-ins with the present TIDEGATE_SECRET that were sealed with the previous one.',
    answers: { 200: { description: 'What was done, and what is left.', schema: resealed } },
    says: () => 'sealed credentials and sign-ins again',
    run: async (_, surroundings) => answer(await reseal(surroundings)),
  }),
]

/** The id of the key that credentials are sealed with. */
export const currentKeyId = async (secrets: CredentialSecrets): Promise<string> =>
  (await sealingKeys(secrets).seal('', '')).keyId

async function reseal({
  ask,
  change,
  secrets,
  signIns,
}: Surroundings): Promise<z.infer<typeof resealed>> {
  const keys = sealingKeys(secrets)
  const keyId = await currentKeyId(secrets)
  const unreadable: Credential[] = []
  let done = 0
  let after = ''
  let found: readonly Credential[]
  do {
    found = (await ask('credentialsNotUnder', { keyId, after, limit: PAGE }))?.entries ?? []
    const entries: { was: Credential; is: Credential }[] = []
    for (const was of found) {
      const url = await keys.open(was.sealed, boundOf(was))
      if (url === undefined) unreadable.push(was)
      else entries.push({ was, is: { ...was, sealed: await keys.seal(url, boundOf(was)) } })
    }
    if (entries.length > 0) done += (await change('reseal', { entries }))?.done ?? 0
    after = found.at(-1)?.id ?? after
  } while (found.length === PAGE && done < MAX_RESEALED)
  const left = (await ask('credentialsNotUnder', { keyId, limit: 0 }))?.total ?? 0
  const named = unreadable.slice(0, MAX_NAMED).map(({ endpoint, database, group }) => ({
    endpoint,
    database,
    group,
  }))
  return {
    resealed: done,
    left: left - unreadable.length,
    unreadable: named,
    ...(signIns && { signIns: await resealSignIns(signIns) }),
  }
}

async function resealSignIns(
  ask: AskSignIns,
): Promise<{ resealed: number; left: number; unreadable: number }> {
  let resealed = 0
  let after: string | undefined = ''
  for (let pages = 0; after !== undefined && pages < MAX_SIGN_IN_PAGES; pages++) {
    const page: Awaited<ReturnType<typeof ask<'reseal'>>> = await ask('reseal', {
      after,
      limit: SIGN_IN_PAGE,
    })
    resealed += page.resealed
    after = page.next
  }
  const { toReseal } = await ask('sealing', undefined)
  return after === undefined
    ? { resealed, left: 0, unreadable: toReseal }
    : { resealed, left: toReseal, unreadable: 0 }
}
