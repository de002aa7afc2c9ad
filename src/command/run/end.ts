// Decides when and how the process ends.

/** Time for running calls to finish. A process that serves a pipe is gone two seconds after its host stops it. */
export const GRACE_MS = 1_500

/** Time for connections to close. */
const CLOSING_MS = 300

/** Time for an HTTP gateway to close. It writes call records first, and has its own time limit for that. */
export const WRITING_MS = 4_000

/** Signals to end: `SIGHUP` when a terminal closes, `SIGBREAK` only on Windows. */
const SIGNALS: readonly NodeJS.Signals[] = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  ...(process.platform === 'win32' ? (['SIGBREAK'] as const) : []),
]

/** Aborts at the first signal to end. A second signal ends the process at once. */
export function endAsked(): AbortController {
  const asked = new AbortController()
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (asked.signal.aborted) process.exit(1)
      asked.abort()
    })
  }
  return asked
}

/** Waits for things to close, but not for long. */
export async function settled(closing: Promise<unknown>, ms = CLOSING_MS): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  // The timer keeps the process from ending early when nothing else does.
  const timer = setTimeout(resolve, ms)
  await Promise.race([late, closing.catch(() => {})])
  clearTimeout(timer)
}
