import type { Driver } from '../database.ts'
import { hyperdrive } from './hyperdrive/hyperdrive.ts'
import { planetscale } from './planetscale/planetscale.ts'
import { mysql as tcp } from './tcp/tcp.ts'

/** The drivers in this folder. The first one that accepts a URL is used. */
export const drivers: readonly Driver[] = [planetscale, hyperdrive, tcp]
