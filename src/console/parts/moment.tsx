import type { FC } from 'hono/jsx'
import { counted } from '../../ground/index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time: relative within a day of now, otherwise a date. */
export const Moment: FC<{
  /** ISO time from the API. Undefined: never. */
  readonly at: string | undefined
}> = ({ at }) =>
  at === undefined ? (
    <>never</>
  ) : (
    <time datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`} class="nowrap">
      {relativeTime(Date.parse(at), Date.now())}
    </time>
  )

function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (!(distance < DAY)) return new Date(at).toISOString().slice(0, 10)
  if (distance < MINUTE) return at > now ? 'within a minute' : 'just now'
  const span =
    distance < HOUR
      ? counted(Math.floor(distance / MINUTE), 'minute')
      : counted(Math.floor(distance / HOUR), 'hour')
  return at > now ? `in ${span}` : `${span} ago`
}
