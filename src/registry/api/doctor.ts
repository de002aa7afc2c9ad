import * as z from 'zod/mini'
import { nameParam, served } from './endpoints.ts'
import { ApiFault, answer } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'

const health = named(
  'Health',
  z.object({
    /** Why the endpoints of the configuration cannot be read. */
    configuration: z.optional(z.string()),
    signIn: z.object({
      state: z.enum(['set', 'missing', 'faulty']),
      /** The settings that name a way to sign in. */
      ways: z.array(z.string()),
      /** Why people cannot sign in as it is meant. */
      problems: z.array(z.string()),
    }),
  }),
)

const hostTest = named(
  'HostTest',
  z.object({
    url: z.string(),
    findings: z.array(
      z.object({
        id: z.string(),
        hosts: z.array(z.string()),
        state: z.enum(['ok', 'note', 'problem']),
        seen: z.string(),
        mend: z.optional(z.string()),
      }),
    ),
    /** What each app would make of it. */
    hosts: z.array(z.object({ name: z.string(), verdict: z.string() })),
  }),
)

/** `/api/doctor`: what `/doctor` tells besides how the databases are. */
export const doctorRoutes = (): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/doctor',
    summary: 'Says what is wrong with the settings of the deployment. The databases are not asked.',
    answers: { 200: { description: 'The faults, each in a sentence.', schema: health } },
    run: async (_, { health }) => answer(await health()),
  }),
  route({
    method: 'get',
    path: '/api/doctor/hosts',
    summary:
      'Does what apps do with /mcp, without leaving the Worker, and says what each would make of it.',
    answers: { 200: { description: 'What was seen.', schema: hostTest } },
    run: async ({ url }, surroundings) => answer(await surroundings.hostTest(`${url.origin}/mcp`)),
  }),
  route({
    method: 'get',
    path: '/api/doctor/hosts/{name}',
    summary: 'Does the same with an endpoint.',
    params: nameParam,
    answers: { 200: { description: 'What was seen.', schema: hostTest } },
    async run({ params: { name }, url }, surroundings) {
      if (!(await served(name, surroundings))) {
        throw new ApiFault(404, `The endpoint ${name} is not there.`)
      }
      return answer(await surroundings.hostTest(`${url.origin}/mcp/${name}`))
    },
  }),
]
