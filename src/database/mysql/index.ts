import type { Driver } from '../database.ts'
import { hyperdrive } from './hyperdrive.ts'
import { planetscale } from './planetscale.ts'
import { mysql as tcp } from './tcp.ts'

/** The drivers of this folder. The first one that opens a URL is taken. */
export const drivers: readonly Driver[] = [planetscale, hyperdrive, tcp]
