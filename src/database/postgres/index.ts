import type { Driver } from '../database.ts'
import { neon } from './neon.ts'
import { postgres as tcp } from './tcp.ts'

/** The drivers of this folder. The first one that opens a URL is taken. */
export const drivers: readonly Driver[] = [neon, tcp]
