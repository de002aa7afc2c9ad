import { scaleLinear, scaleLog } from 'd3-scale'
import { line } from 'd3-shape'
import type { Child, FC } from 'hono/jsx'
import { figure } from './times.tsx'

/** Edges of the plot in the drawing. */
const LEFT = 34
const RIGHT = 334
const TOP = 16.5
const BOTTOM = 96.5

/** Parts that all charts share: the description, and the labels of the time axis. */
interface ChartProps {
  readonly label: string
  readonly from: string
  readonly middle: string
}

/** Chart with a column for each bucket. */
export const Columns = ({
  values,
  kind,
  ...props
}: ChartProps & { readonly values: readonly number[]; readonly kind: 'col' | 'err' }) => {
  const y = heights(values)
  const width = (RIGHT - LEFT) / values.length
  return (
    <Frame {...props} y={y} ticks={y.ticks(2).filter(Number.isInteger)}>
      {values.map(
        (value, i) =>
          value > 0 && (
            <rect
              class={kind}
              x={round(LEFT + i * width + width * 0.15)}
              y={round(y(value))}
              width={round(width * 0.7)}
              height={round(BOTTOM - y(value))}
            />
          ),
      )}
    </Frame>
  )
}

/** A value on a line. Undefined leaves a gap. */
type ChartValue = number | undefined

/**
 * Chart with two lines through the middle of each bucket, the second above the first. Each rule is ten times the one
 * below.
 */
export const Lines = ({
  main,
  second,
  ...props
}: ChartProps & {
  readonly main: readonly ChartValue[]
  readonly second: readonly ChartValue[]
}) => {
  // A stopped call can be a thousand times slower than the others. On a linear scale, the rest would look flat.
  const y = scaleLog()
    .domain([1, Math.max(10, ...[...main, ...second].map((it) => it ?? 0))])
    .range([BOTTOM, TOP])
    .clamp(true)
    .nice()
  const width = (RIGHT - LEFT) / main.length
  const path = line<ChartValue>()
    .defined((it) => it !== undefined)
    .x((_, i) => LEFT + (i + 0.5) * width)
    .y((it) => y(Math.max(1, it ?? 1)))
    .digits(1)
  return (
    <Frame {...props} y={y} ticks={y.ticks().filter((it) => Number.isInteger(Math.log10(it)))}>
      <path class="second" d={path(second) ?? ''} />
      <path class="main" d={path(main) ?? ''} />
    </Frame>
  )
}

/** Scale from values to heights, with round numbers at the rules. */
const heights = (values: readonly number[]) =>
  scaleLinear()
    .domain([0, Math.max(1, ...values)])
    .range([BOTTOM, TOP])
    .nice(2)

const Frame: FC<
  ChartProps & {
    readonly y: (value: number) => number
    /** Values at the rules. */
    readonly ticks: readonly number[]
    readonly children: Child
  }
> = ({ label, from, middle, y, ticks, children }) => (
  <svg class="chart" viewBox="0 0 340 118" role="img" aria-label={label}>
    {ticks.map((tick) => (
      <>
        <path class="rule" d={`M${LEFT} ${round(y(tick))}H${RIGHT}`} />
        <text x="28" y={round(y(tick) + 3.5)} text-anchor="end">
          {short(tick)}
        </text>
      </>
    ))}
    <text x={LEFT} y="112">
      {from}
    </text>
    <text x={(LEFT + RIGHT) / 2} y="112" text-anchor="middle">
      {middle}
    </text>
    <text x={RIGHT} y="112" text-anchor="end">
      now
    </text>
    {children}
  </svg>
)

const round = (n: number) => Math.round(n * 10) / 10

/** Short form of a number, because the side has little room: `20k`. */
const short = (n: number) =>
  n >= 1e6 ? `${figure(n / 1e6)}M` : n >= 1_000 ? `${figure(n / 1000)}k` : figure(n)
