import { Mistake } from '../terminal/failure.ts'

/** The option for the number of newest entries. */
export const last = { type: 'string', value: 'N', about: 'how many; default: 50' } as const

/** The number that was given, with at most this many digits. */
export function lastOf({ last = '50' }: { readonly last?: string | undefined }, digits: number) {
  if (/^\d+$/.test(last) && last.length <= digits) return last
  throw new Mistake('--last must be a number, such as 50.')
}
