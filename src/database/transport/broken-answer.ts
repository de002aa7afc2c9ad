import { DatabaseError } from '../error.ts'

/** The error for a response that ends too early, or is only a status. `subject` is the start of the message. */
export function brokenAnswer(status = 200, subject = "The database's response"): DatabaseError {
  const what = status === 200 ? 'broke off in the middle' : `was only a status ${status}`
  return new DatabaseError('network', `${subject} ${what}. Try again later.`)
}
