import type { Driver } from '../database.ts'
import { clickhouse } from './driver.ts'

/** The drivers in this folder. The first one that accepts a URL is used. */
export const drivers: readonly Driver[] = [clickhouse]
