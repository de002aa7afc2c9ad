import { clickhouse } from '../clickhouse/roles.ts'
import { mysql } from '../mysql/roles.ts'
import { postgres } from '../postgres/roles.ts'
import type { Look } from '../role.ts'
import { sqlite } from '../sqlite/roles.ts'

/**
 * How to look at a role, by the name of its dialect. These become a module of their own, which is
 * read by who looks: it imports nothing from outside this folder but types and `examination.ts`.
 */
export const looks: Readonly<Record<string, Look>> = { postgres, mysql, clickhouse, sqlite }

export { reason } from './reason.ts'
export { reported, warning } from './report.ts'
export { unprepared } from './unprepared.ts'
