// The whole gateway, as it is deployed.
export * from '../../src/index.ts'
export { default } from '../../src/index.ts'
