// When the process has to end, and how.

/** What a running call has to end. Two seconds after it was told to, the process is gone. */
export const GRACE_MS = 1_500

/** How long connections have to close. */
const CLOSING_MS = 300

/** A machine that asks for the end: `SIGHUP` comes with a terminal that closes, `SIGBREAK` on Windows alone. */
const SIGNALS = [
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
  ...(process.platform === 'win32' ? ['SIGBREAK'] : []),
]

/** Aborts at the first signal to end. The second one ends the process at once. */
export function endAsked() {
  const asked = new AbortController()
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (asked.signal.aborted) process.exit(1)
      asked.abort()
    })
  }
  return asked
}

/** Waits for what closes, but not for long. */
export async function settled(closing) {
  const { promise: late, resolve } = Promise.withResolvers()
  // It keeps the process from ending before, where nothing else does.
  const timer = setTimeout(resolve, CLOSING_MS)
  await Promise.race([late, closing.catch(() => {})])
  clearTimeout(timer)
}
