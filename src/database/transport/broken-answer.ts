import { DatabaseError } from '../error.ts'

/** The error for an answer that ends too early, or is only a status. `subject` says whose answer it is. */
export function brokenAnswer(status = 200, subject = "The database's answer"): DatabaseError {
  const what = status === 200 ? 'broke off in the middle' : `was only a status ${status}`
  return new DatabaseError('network', `${subject} ${what}. Try again later.`)
}
