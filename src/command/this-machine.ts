/**
 * The parts of the command that `scripts/start.mjs` uses.
 *
 * @module
 */

export { hostOfUrl } from './database-url.ts'
export { sharedState } from './files/private-file.ts'
export { makeSecret, readVars } from './files/vars.ts'
