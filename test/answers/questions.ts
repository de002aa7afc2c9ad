import type { Question } from './question.ts'
import { limits } from './questions/limits.ts'
import { money } from './questions/money.ts'
import { names } from './questions/names.ts'
import { tables } from './questions/tables.ts'
import { times } from './questions/times.ts'
import { values } from './questions/values.ts'

/** All questions, in order. */
export const questions: readonly Question[] = [
  ...money,
  ...times,
  ...values,
  ...names,
  ...tables,
  ...limits,
]
