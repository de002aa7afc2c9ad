import { onNode } from './node-worker.ts'

/** The header by which a request comes from this address: on Node the proxy in front writes another one. */
export const cameFrom = (address: string): Record<string, string> => ({
  [onNode ? 'x-forwarded-for' : 'cf-connecting-ip']: address,
})
