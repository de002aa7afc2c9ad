import type { Driver } from '../database.ts'
import { neon } from './neon/neon.ts'
import { postgres as tcp } from './tcp/tcp.ts'

/** The drivers in this folder. The first one that accepts a URL is used. */
export const drivers: readonly Driver[] = [neon, tcp]
