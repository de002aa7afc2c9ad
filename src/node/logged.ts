/** Logs what failed where nobody waits for it. */
export const logged = (error: unknown): void => console.error(error)
