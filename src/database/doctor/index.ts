export { inspectRole } from './inspect-role.ts'
export { reason, reported, warning } from './report.ts'
