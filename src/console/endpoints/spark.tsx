import { grouped } from '../parts/texts.ts'
import type { EndpointFigures } from './figures.ts'

const HEIGHT = 24

/** Today's calls as a bar for each hour. The number beside it says the same. */
export const Spark = ({ calls, buckets }: Pick<EndpointFigures, 'calls' | 'buckets'>) => {
  const most = Math.max(1, ...buckets.map((it) => it.calls))
  return (
    <svg
      class="spark"
      viewBox={`0 0 96 ${HEIGHT}`}
      role="img"
      aria-label={`${grouped(calls)} calls, by hour`}
    >
      <rect class="rule" y="23" width="96" height="1" />
      {buckets.map((it) => {
        if (it.calls === 0) return null
        // Keep a single call visible, even beside a much larger bar.
        const height = Math.max(1, (it.calls / most) * (HEIGHT - 1))
        return (
          <rect
            x={new Date(it.at).getUTCHours() * 4}
            y={(HEIGHT - height).toFixed(1)}
            width="3"
            height={height.toFixed(1)}
          />
        )
      })}
    </svg>
  )
}
