import * as z from 'zod/mini'
import { counted } from '../../ground/index.ts'
import { exportFrom } from '../state/export.ts'
import { exported } from './exported.ts'
import { restore } from './restore.ts'
import { type Route, route } from './route.ts'

/** Maximum size of an export that can be restored, in bytes. */
const MAX_EXPORT_BYTES = 32 * 1024 * 1024

const restored = z.object({
  mode: z.enum(['merge', 'replace']),
  written: z.object({ endpoints: z.int(), keys: z.int(), groups: z.int() }),
  /** Number of endpoint names removed from keys and groups because the export does not contain these endpoints. */
  namesLeftOut: z.optional(z.int()),
  /** Number of entries in the registry now. */
  holds: z.object({ endpoints: z.int(), keys: z.int(), groups: z.int(), credentials: z.int() }),
  /** Number of credentials that are not sealed with the current TIDEGATE_SECRET. */
  credentialsToReseal: z.optional(z.int()),
})

/** `/api/export` and `/api/restore` */
export const backupRoutes = (): readonly Route[] => [
  route('get', '/api/export', {
    summary:
      'Exports the registry. Credentials stay encrypted, and keys are included only as hashes.',
    answers: [200, 'The entire contents of the registry.', exported],
    run: async (_, { objects }) =>
      new Response(await exportFrom(objects.REGISTRY), {
        headers: {
          'content-type': 'application/json',
          'content-disposition': 'attachment; filename="tidegate-registry.json"',
          'cache-control': 'no-store',
        },
      }),
  }),
  route('post', '/api/restore', {
    summary: 'Restores an export: all of it, or nothing.',
    query: z.strictObject({ mode: z._default(z.enum(['merge', 'replace']), 'merge') }),
    body: exported,
    maxBodyBytes: MAX_EXPORT_BYTES,
    longLists: ['endpoints', 'keys', 'groups'],
    answers: [200, 'What was written.', restored],
    says: ({ query: { mode }, body: { endpoints, keys, groups } }) => {
      const counts = [
        counted(endpoints.length, 'endpoint'),
        counted(keys.length, 'key'),
        counted(groups.length, 'group'),
      ]
      const rest = mode === 'replace' ? ', and removed the rest' : ''
      return `restored an export: ${counts.join(', ')}${rest}`
    },
    run: ({ query: { mode }, body }, surroundings) => restore(mode, body, surroundings),
  }),
]
