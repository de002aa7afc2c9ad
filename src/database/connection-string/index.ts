export { recognise } from './recognise.ts'
export type { Part, Recognised, Unrecognised } from './recognised.ts'
