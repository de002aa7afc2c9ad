import type { Driver } from '../database.ts'
import { d1 } from './d1.ts'
import { libsql } from './libsql.ts'

/** The ways to reach such a database, one line each. */
export const drivers: readonly Driver[] = [d1, libsql]
