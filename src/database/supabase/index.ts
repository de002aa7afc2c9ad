import type { Driver } from '../database.ts'
import { supabase } from './driver.ts'

/** The ways to reach such a database, one line each. */
export const drivers: readonly Driver[] = [supabase]
