import { onNode } from './node-worker.ts'

/** The header that gives a request this address. On Node, it is the header of a proxy. */
export const cameFrom = (address: string): Record<string, string> => ({
  [onNode ? 'x-forwarded-for' : 'cf-connecting-ip']: address,
})
