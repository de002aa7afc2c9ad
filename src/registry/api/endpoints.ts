import * as z from 'zod/mini'
import type { Diagnosis, Endpoint, Stage } from '../../gateway/index.ts'
import type { EndpointEntry } from '../entries.ts'
import {
  endpointBody,
  entryOf,
  privateHostsOf,
  shown,
  shownConfigured,
  shownEndpoint,
} from './endpoint-body.ts'
import { ApiFault, answer, wrongField } from './fault.ts'
import { lines, wantsLines } from './lines.ts'
import {
  assertUnchanged,
  assertWritten,
  changeQuery,
  named,
  pageFields,
  pageQuery,
} from './lists.ts'
import { mendSchema } from './mend-schema.ts'
import { mendOfDiagnosis } from './mended.ts'
import { mergePatch } from './merge-patch.ts'
import { fieldsOf } from './noting.ts'
import { type Route, route } from './route.ts'
import type { Candidate, Surroundings } from './surroundings.ts'

/** The name of an endpoint in a path. */
export const nameParam = z.object({ name: z.string().check(z.maxLength(31)) })

/** A JSON Merge Patch. */
export const patchBody = z.record(z.string(), z.unknown())

const entry = { description: 'The endpoint.', schema: shownEndpoint }

const listQuery = z.extend(pageQuery, {
  /** Only those that have this text in name or title. Upper and lower case of ASCII letters count as equal. */
  search: z.optional(z.string().check(z.maxLength(200))),
})

/** `/api/endpoints` */
export const endpointRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/endpoints',
    summary:
      'Lists endpoints by name, those of the configuration first: all, or those that have a text in name or title.',
    query: listQuery,
    answers: {
      200: {
        description: 'A page of endpoints.',
        schema: z.object({ endpoints: z.array(shownEndpoint), ...pageFields }),
      },
    },
    run: ({ query }, surroundings) => list(query, surroundings),
  }),
  route({
    method: 'post',
    path: '/api/endpoints',
    summary: 'Adds an endpoint. A connection string in it is stored encrypted.',
    body: endpointBody,
    answers: { 201: { ...entry, description: 'The endpoint, whose URL is in Location.' } },
    says: ({ body: { name } }) => `added endpoint ${name}`,
    async run({ body }, surroundings) {
      const { name } = body
      const there = await served(name, surroundings)
      if (there?.stored) assertWritten('exists', called(name))
      if (there && isHidden(name, surroundings)) {
        throw new ApiFault(409, `${called(name)} is from the configuration. Choose another name.`)
      }
      const made = await entryOf(body, undefined, surroundings)
      assertWritten(await surroundings.change('putEndpoint', { entry: made }), called(name))
      return answer(shown(made), 201, { location: `/api/endpoints/${name}` })
    },
  }),
  route({
    method: 'get',
    path: '/api/endpoints/{name}',
    summary: 'Shows an endpoint.',
    params: nameParam,
    answers: { 200: entry },
    async run({ params: { name } }, surroundings) {
      const { stored, value } = await found(name, surroundings)
      return answer(stored ? shown(stored) : shownConfigured(value))
    },
  }),
  route({
    method: 'patch',
    path: '/api/endpoints/{name}',
    summary: 'Changes an endpoint by a JSON Merge Patch (RFC 7396), or switches it on or off.',
    params: nameParam,
    query: changeQuery,
    body: patchBody,
    answers: { 200: entry },
    says: ({ params: { name }, body }) =>
      Object.keys(body).join() === 'active'
        ? `switched endpoint ${name} ${body.active ? 'on' : 'off'}`
        : `changed endpoint ${name}: ${fieldsOf(body)}`,
    run: ({ params, query, body }, surroundings) => change(params.name, body, surroundings, query),
  }),
  route({
    method: 'delete',
    path: '/api/endpoints/{name}',
    summary: 'Removes an endpoint and its credentials.',
    params: nameParam,
    answers: { 204: { description: 'It is gone.' } },
    says: ({ params: { name } }) => `removed endpoint ${name}`,
    async run({ params: { name } }, surroundings) {
      await storedOne(name, surroundings)
      assertWritten(await surroundings.change('deleteEndpoint', { name }), called(name))
      return nothing()
    },
  }),
  route({
    method: 'put',
    path: '/api/endpoints/{name}/databases/{database}/credential',
    summary: 'Replaces the URL of a database. A connection string is stored encrypted.',
    params: z.extend(nameParam, { database: z.string().check(z.maxLength(31)) }),
    body: z.strictObject({ url: z.string().check(z.minLength(1)) }),
    answers: { 200: entry },
    says: ({ params: { name, database } }) =>
      `replaced the URL of database ${database} of endpoint ${name}`,
    async run({ params: { name, database }, body: { url } }, surroundings) {
      const stored = await storedOne(name, surroundings)
      if (!Object.hasOwn(stored.value.databases, database)) {
        throw new ApiFault(404, `${called(name)} has no database of this name.`)
      }
      return change(name, { databases: { [database]: { url } } }, surroundings)
    },
  }),
  route({
    method: 'post',
    path: '/api/endpoints/{name}/test',
    summary: 'Opens the databases of an endpoint, inspects the roles there, and counts the tables.',
    params: nameParam,
    answers: {
      200: {
        description: 'How each database answered. In lines: each stage, and then the same.',
        schema: outcome,
        lines: z.union([stageSeen, outcome]),
      },
    },
    async run({ params: { name }, accept, signal }, surroundings) {
      const privateHosts = await privateHostsOf(surroundings)
      const { stored, value } = await found(name, surroundings)
      const candidate = { entry: stored ?? { value }, privateHosts }
      const outcome = (all: readonly Diagnosis[]) => outcomeOf(all, candidate, surroundings)
      if (wantsLines(accept)) {
        const seen = (it: AbortSignal) => surroundings.diagnoseInStages(candidate, it)
        return lines(signal, (it) => seenInStages(seen(it), outcome))
      }
      return answer(await outcome(await surroundings.diagnose(candidate, signal)))
    },
  }),
]

const tested = z.object({
  database: z.string(),
  ok: z.boolean(),
  /** Why it cannot be used. */
  problem: z.optional(z.string()),
  /** What to do about it. */
  mend: z.optional(mendSchema),
  ms: z.optional(z.number()),
  dialect: z.optional(z.string()),
  version: z.optional(z.string()),
  role: z.optional(z.string()),
  tls: z.optional(z.boolean()),
  /** How many tables and views the role may read. */
  tables: z.optional(z.int()),
  /** What the role may do besides reading. */
  findings: z.optional(z.array(z.unknown())),
  /** SQL that makes a role that only reads. */
  reader: z.optional(z.array(z.string())),
  /** Tools of the operator that the database cannot prepare. */
  broken: z.optional(z.array(z.string())),
  note: z.optional(z.string()),
})

const outcome = z.object({ ok: z.boolean(), databases: z.array(tested) })

/** What was seen in one stage of a test. */
const stageSeen = named(
  'Stage',
  z.object({
    database: z.string(),
    stage: z.string(),
    state: z.enum(['ok', 'low', 'bad', 'off']),
    sentence: z.string(),
    detail: z.optional(z.string()),
    ms: z.optional(z.number()),
  }),
)

/** The stages as they come, and the outcome after them. */
async function* seenInStages(
  seen: AsyncGenerator<Stage | Diagnosis>,
  outcome: (all: readonly Diagnosis[]) => Promise<object>,
): AsyncGenerator<object> {
  const diagnoses: Diagnosis[] = []
  for await (const it of seen) {
    if ('stage' in it) yield it
    else diagnoses.push(it)
  }
  yield await outcome(diagnoses)
}

async function outcomeOf(diagnoses: readonly Diagnosis[], ...about: [Candidate, Surroundings]) {
  const databases = await Promise.all(
    diagnoses.map(async (it) => ({
      ...shownDiagnosis(it),
      mend: await mendOfDiagnosis(it, ...about),
    })),
  )
  return { ok: databases.every(({ ok }) => ok), databases }
}

function shownDiagnosis({
  endpoint: _,
  failure: __,
  certificate: ___,
  problem,
  broken,
  elapsedMs,
  ...rest
}: Diagnosis) {
  const ok = problem === undefined && !broken?.length
  return { ...rest, ok, problem, broken, ms: elapsedMs }
}

const nothing = () => new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } })

const called = (name: string) => `The endpoint ${name}`

/** Whether an endpoint of the configuration has this name, so that none of the registry is served by it. */
const isHidden = (name: string, { configured, isOnlyDemo }: Surroundings): boolean =>
  !isOnlyDemo && configured.some((it) => it.name === name)

/** The endpoint that is served by this name: of the configuration, or of the registry. */
export async function served(
  name: string,
  surroundings: Surroundings,
): Promise<{ readonly value: Endpoint; readonly stored?: EndpointEntry } | undefined> {
  const configured = surroundings.configured.find((it) => it.name === name)
  const stored = isHidden(name, surroundings)
    ? undefined
    : await surroundings.ask('endpoint', { name })
  if (stored) return { value: stored.value, stored }
  return configured && { value: configured }
}

/** The same. Throws {@link ApiFault} if there is none. */
export async function found(name: string, surroundings: Surroundings) {
  const it = await served(name, surroundings)
  if (!it) throw new ApiFault(404, `${called(name)} is not there.`)
  return it
}

async function storedOne(name: string, surroundings: Surroundings): Promise<EndpointEntry> {
  const { stored } = await found(name, surroundings)
  if (stored) return stored
  const advice = surroundings.isOnlyDemo ? 'Add one of this name instead.' : 'Change it there.'
  throw new ApiFault(409, `${called(name)} is from the configuration. ${advice}`)
}

/** How often a change is tried again that another one came before. */
const MAX_TRIES = 3

/** A patch, or how it follows from the endpoint that it changes. */
type Patch = Readonly<Record<string, unknown>>

/** Changes an endpoint of the registry by a merge patch. Throws {@link ApiFault}. */
export async function change(
  name: string,
  given: Patch | ((was: EndpointEntry) => Patch),
  surroundings: Surroundings,
  since: z.infer<typeof changeQuery> = {},
): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const was = await storedOne(name, surroundings)
    assertUnchanged(was, since, called(name))
    const patch = typeof given === 'function' ? given(was) : given
    if (Object.hasOwn(patch, 'name') && patch.name !== name) {
      throw wrongField('name', 'cannot be changed. Add another endpoint instead.')
    }
    const entry = await changed(was, patch, surroundings)
    const outcome = await surroundings.change('putEndpoint', { entry, was: was.changedAt })
    if (outcome === 'changed' && tries < MAX_TRIES) continue
    assertWritten(outcome, called(name))
    return answer(shown(entry))
  }
}

function changed(
  was: EndpointEntry,
  patch: Readonly<Record<string, unknown>>,
  surroundings: Surroundings,
): Promise<EndpointEntry> {
  // An endpoint that cannot be served any more can still be switched off.
  if (Object.keys(patch).join() === 'active' && patch.active === false) {
    const changedAt = Math.max(Date.now(), was.changedAt + 1)
    return Promise.resolve({ ...was, active: false, changedAt })
  }
  return entryOf(mergePatch({ ...was.value, active: was.active }, patch), was, surroundings)
}

/** What a cursor among the endpoints of the configuration begins with. Their place in it follows. */
const CONFIGURED = '.'

async function list(
  { limit, cursor = `${CONFIGURED}0`, search = '' }: z.infer<typeof listQuery>,
  { ask, configured, isOnlyDemo }: Surroundings,
): Promise<Response> {
  const names = configured.map(({ name }) => name)
  const replaced = isOnlyDemo ? (await ask('existing', { endpoints: names }))?.endpoints : []
  const sought = search.toLowerCase()
  const others = configured.filter(
    ({ name, title }) =>
      !replaced?.includes(name) && `${name}\n${title}`.toLowerCase().includes(sought),
  )
  const isAmongOthers = cursor.startsWith(CONFIGURED)
  const start = isAmongOthers ? Number(cursor.slice(CONFIGURED.length)) : others.length
  if (!Number.isInteger(start)) throw wrongField('cursor', 'is not from a list of endpoints.')
  const first = others.slice(start, start + limit)
  const left = limit - first.length
  const after = isAmongOthers ? '' : cursor
  const page = await ask('endpoints', { after, search, limit: Math.max(left, 1) })
  const { entries = [], total = 0, next } = page ?? {}
  const isMore = start + limit < others.length || total > 0
  const nextOne = left > 0 ? next : isMore ? `${CONFIGURED}${start + limit}` : undefined
  return answer({
    endpoints: [...first.map(shownConfigured), ...(left > 0 ? entries.map(shown) : [])],
    total: others.length + total,
    next: nextOne,
  })
}
