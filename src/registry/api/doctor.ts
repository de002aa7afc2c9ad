import * as z from 'zod/mini'
import { answer } from './fault.ts'
import { named } from './lists.ts'
import { type Route, route } from './route.ts'
import { found, nameParam } from './served.ts'

export const health = named(
  'Health',
  z.object({
    /** Reason the endpoints in the configuration cannot be read. */
    configuration: z.optional(z.string()),
    /** Reasons the stored state (the registry and the sign-ins) cannot be read. */
    stored: z.array(z.string()),
    signIn: z.object({
      state: z.enum(['set', 'missing', 'faulty']),
      /** The settings that define a way to sign in. */
      ways: z.array(z.string()),
      /** Problems that keep sign-in from working as intended. */
      problems: z.array(z.string()),
    }),
  }),
)

export const hostTest = named(
  'HostTest',
  z.object({
    url: z.string(),
    findings: z.array(
      z.object({
        id: z.string(),
        hosts: z.array(z.string()),
        state: z.enum(['ok', 'note', 'problem']),
        seen: z.string(),
        fix: z.optional(z.string()),
      }),
    ),
    hosts: z.array(
      z.object({
        name: z.string(),
        verdict: z.string(),
        /** `note`: it connects with problems, or only a note keeps it out. `problem`: a problem keeps it out. */
        state: z.enum(['ok', 'note', 'problem']),
      }),
    ),
  }),
)

/** `/api/doctor`: the content of `/doctor`, except for the state of the databases. */
export const doctorRoutes = (): readonly Route[] => [
  route('get', '/api/doctor', {
    summary: 'Reports problems with the deployment’s settings. The databases are not contacted.',
    answers: [200, 'The faults, each with a message.', health],
    run: async (_, { health }) => answer(await health()),
  }),
  route('get', '/api/doctor/hosts', {
    summary:
      'Makes the requests that apps make to /mcp, without leaving the Worker, and reports which apps can connect.',
    answers: [200, 'What the check found.', hostTest],
    run: async ({ url }, surroundings) => answer(await surroundings.hostTest(`${url.origin}/mcp`)),
  }),
  route('get', '/api/doctor/hosts/{name}', {
    summary: 'Does the same for an endpoint.',
    params: nameParam,
    answers: [200, 'What the check found.', hostTest],
    async run({ params: { name }, url }, surroundings) {
      await found(name, surroundings)
      return answer(await surroundings.hostTest(`${url.origin}/mcp/${name}`))
    },
  }),
]
