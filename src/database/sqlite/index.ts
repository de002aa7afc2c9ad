import type { Driver } from '../database.ts'
import { d1 } from './d1.ts'
import { file } from './file.ts'
import { libsql } from './libsql.ts'

/** The drivers in this folder. The first one that accepts a URL is used. */
export const drivers: readonly Driver[] = [d1, libsql, file]
