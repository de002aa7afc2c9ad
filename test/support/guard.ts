import { refuse as refuseStatement } from '../../src/database/guard/guard.ts'
import { read } from '../../src/database/guard/reading.ts'
import type { Rules } from '../../src/database/rules.ts'

/** The reason why the guard refuses a text, or undefined if it accepts it. */
export const refuse = (sql: string, rules: Rules) => refuseStatement({ sql }, rules)

/** The single statement in a text, without anything after it. */
export function single(sql: string, rules: Rules): string {
  const reading = read({ sql }, rules)
  if (reading.fault !== undefined) throw new Error(reading.fault)
  return reading.sql
}

/** The first word of a statement. */
export const verb = (sql: string, rules: Rules) => read({ sql }, rules).verb
