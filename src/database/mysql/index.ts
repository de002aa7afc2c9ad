import type { Driver } from '../database.ts'
import { planetscale } from './planetscale.ts'
import { mysql as tcp } from './tcp.ts'

/** The ways to reach such a database, one line each. */
export const drivers: readonly Driver[] = [planetscale, tcp]
