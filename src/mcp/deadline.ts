import { codes, RpcError } from './jsonrpc.ts'

/** A timer set for longer goes off at once. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Runs what may take so long and no longer: then its signal aborts, and it has failed, whether it
 * heeds that or not.
 */
export async function within<T>(
  ms: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const stop = () => {
    const error = new RpcError(codes.internal, tooLong(ms))
    // In this order: what is made of the signal comes too late to be the answer.
    reject(error)
    late.abort(error)
  }
  const timer = setTimeout(stop, Math.min(ms, LONGEST_MS))
  try {
    return await Promise.race([failed, run(AbortSignal.any([signal, late.signal]))])
  } finally {
    clearTimeout(timer)
  }
}

const tooLong = (ms: number) =>
  `This took longer than ${ms / 1000} seconds and was stopped: ask for less at once.`
