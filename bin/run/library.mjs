import { built, tooOld } from '../lib.mjs'
import { Fault } from './fault.mjs'

/** What the command needs of the gateway. */
export async function library() {
  if (tooOld) throw new Fault(tooOld)
  return await built('node/command')
}
