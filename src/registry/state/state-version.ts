/** Reason this code cannot use a deployment's state, as a message for its operator. */
export class StateFault extends Error {
  override readonly name = 'StateFault'
}

/** Version of the registry's storage. It increases when older code can no longer read the storage. */
export const STATE_VERSION = 1

/** Refuses a state that is newer than this code. Throws {@link StateFault}. */
export function assertKnown(version: number, what: string): void {
  if (version <= STATE_VERSION) return
  throw new StateFault(
    `${what} was written by a newer Tidegate: it has state version ${version}, and this one reads up to ${STATE_VERSION}. Install the newer Tidegate again.`,
  )
}
