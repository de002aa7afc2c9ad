import type { Driver } from '../database.ts'
import { demo } from './driver.ts'

/** The drivers of this folder. The first one that opens a URL is used. */
export const drivers: readonly Driver[] = [demo]
