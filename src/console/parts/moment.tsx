const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time: relative until a day ago or from now, and then the day. */
export const Moment = ({
  at,
  now = Date.now(),
}: {
  /** As the API writes it. */
  readonly at: string
  readonly now?: number
}) => (
  <time datetime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`} class="nowrap">
    {said(Date.parse(at), now)}
  </time>
)

function said(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (!(distance < DAY)) return new Date(at).toISOString().slice(0, 10)
  if (distance < MINUTE) return at > now ? 'within a minute' : 'just now'
  const [count, unit] =
    distance < HOUR
      ? [Math.floor(distance / MINUTE), 'minute']
      : [Math.floor(distance / HOUR), 'hour']
  const span = `${count} ${unit}${count === 1 ? '' : 's'}`
  return at > now ? `in ${span}` : `${span} ago`
}
