/** Resolves after this time. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The result of a promise. Throws if it takes too long. */
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

/** Keeps the result of the first use. If that fails, the next use tries again. */
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
