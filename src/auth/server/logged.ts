import { randomText } from '../../registry/index.ts'

/**
 * Says in the log why a page failed, and returns the reference for the page. It is for what strangers can repeat
 * without end: as events, they would push out all others.
 */
export function logged(why: string): string {
  const reference = randomText(8)
  console.log(JSON.stringify({ event: 'page failed', reference, why }))
  return reference
}
