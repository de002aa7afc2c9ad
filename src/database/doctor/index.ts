export { inspectRole } from './inspect-role.ts'
export { reason } from './reason.ts'
export { reported, warning } from './report.ts'
export { unprepared } from './unprepared.ts'
