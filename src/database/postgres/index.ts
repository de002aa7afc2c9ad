import type { Driver } from '../database.ts'
import { neon } from './neon.ts'
import { postgres as tcp } from './tcp.ts'

/** The ways to reach such a database, one line each. */
export const drivers: readonly Driver[] = [neon, tcp]
