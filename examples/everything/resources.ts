import type { Resource } from 'tidegate/mcp'
import { png } from './media.ts'

/** The resources: text, bytes, a template, and one that clients can subscribe to. */
export const resources: readonly Resource[] = [
  {
    uri: 'test://static-text',
    name: 'Static text',
    description: 'Text that never changes.',
    mimeType: 'text/plain',
    read: () => 'This is the content of the static text resource.',
  },
  {
    uri: 'test://static-binary',
    name: 'Static binary',
    description: 'An image that never changes.',
    mimeType: png.mimeType,
    read: (_variables, _context, uri) => [{ uri, mimeType: png.mimeType, blob: png.data }],
  },
  {
    uri: 'test://watched-resource',
    name: 'Watched resource',
    description: 'Text that clients may subscribe to.',
    mimeType: 'text/plain',
    read: () => 'Watch this space.',
  },
  {
    uri: 'test://template/{id}/data',
    name: 'Template',
    description: 'The data for any id.',
    mimeType: 'application/json',
    complete: { id: (begun) => ['123', '124', '200'].filter((it) => it.startsWith(begun)) },
    read: ({ id }) => JSON.stringify({ id, data: `Data for ID: ${id}` }),
  },
]
