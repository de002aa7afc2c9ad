import type { Icon } from '../mcp/index.ts'

/** A gate over water. In place, so that a client has to fetch it from nowhere. */
export const icon: Icon = {
  src: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 1h8M2 1v4M4 1v4M6 1v4M0 7h8' stroke='%230b7285'/></svg>",
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}
