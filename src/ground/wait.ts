/** Resolves after this many milliseconds. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits for a promise and returns its result. Throws if that takes longer than `ms` milliseconds. */
export async function inTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error(`There was no answer within ${ms} ms.`)), ms)
    stop = () => clearTimeout(timer)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    stop()
  }
}

/** Returns a function that calls `make` once and reuses the result. If `make` fails, the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
