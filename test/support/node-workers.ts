export * from '../../src/node/workers.ts'

/** The bindings of the one Worker in this process. */
export const env: Record<string, unknown> = {}
