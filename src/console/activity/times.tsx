import { grouped } from '../parts/texts.ts'

/** A time today as `16:32:08`; an older one has its day. All times are in UTC. */
export const Time = ({ at, now = Date.now() }: { readonly at: string; readonly now?: number }) => {
  const isToday = at.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  return (
    <time datetime={at}>{isToday ? at.slice(11, 19) : `${dayOf(at)} ${at.slice(11, 16)}`}</time>
  )
}

/** `21 Nov` */
export const dayOf = (at: string): string =>
  `${Number(at.slice(8, 10))} ${MONTHS[Number(at.slice(5, 7)) - 1]}`

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Time since something happened. After a day, its date. */
export function ago(at: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h ago`
  return dayOf(at)
}

/** A number with separators: `20,003`. */
export const figure = (n: number | undefined): string => (n === undefined ? '–' : grouped(n))
