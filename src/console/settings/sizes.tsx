import type { FC } from 'hono/jsx'
import type { FormDraft } from '../parts/draft.ts'
import { Choice, Field, Tick, Ticks } from '../parts/field.tsx'
import { numberIn, type SettingsSection } from './section.ts'

const CAPS = [
  ['rows', 'Rows in an answer', '1 to 10,000'],
  ['bytes', 'Bytes of rows in an answer', '1,000 to 80,000'],
  ['cell', 'Characters in a cell', '20 to 80,000'],
  ['timeoutMs', 'Milliseconds per query', '100 to 55,000'],
  ['samples', 'Sample values per column', '0 to 10'],
] as const

const COSTS = [
  ['plan', 'Estimated cost of a query', 'In the unit that the database’s planner uses'],
  ['rows', 'Estimated rows of a query', 'Returned or scanned rows, as the database estimates them'],
] as const

type NumberField = readonly [field: string, label: string, hint: string]

/** Inputs for numbers. `name` is the path of the object that they belong to. */
const Numbers: FC<{
  readonly draft: FormDraft
  readonly name: string
  readonly of: readonly NumberField[]
  readonly stored?: Readonly<Record<string, unknown>> | undefined
}> = ({ draft, name, of, stored = {} }) => (
  <>
    {of.map(([it, label, hint]) => (
      <Field
        draft={draft}
        name={`${name}.${it}`}
        label={label}
        hint={hint}
        type="number"
        stored={stored[it]}
      />
    ))}
  </>
)

/** Section for the size of answers. */
export const caps: SettingsSection = {
  id: 'caps',
  title: 'Size of answers',
  fields: ['caps'],
  read(fields) {
    const cost = Object.fromEntries(COSTS.map(([it]) => [it, numberIn(fields, `caps.cost.${it}`)]))
    const isNothing = Object.values(cost).every((it) => it === null)
    const sizes = CAPS.map(([it]) => [it, numberIn(fields, `caps.${it}`)] as const)
    return { caps: { ...Object.fromEntries(sizes), cost: isNothing ? null : cost } }
  },
  show: (draft, { caps }) => (
    <>
      <p class="small dim">
        A model can ask for less, but never for more. If empty, the default applies.
      </p>
      <div class="pair">
        <Numbers draft={draft} name="caps" of={CAPS} stored={caps} />
      </div>
      <p class="small dim">
        A query does not run if the database’s estimate is higher. If empty, nothing is estimated.
        Not every database can estimate.
      </p>
      <div class="pair">
        <Numbers draft={draft} name="caps.cost" of={COSTS} stored={caps.cost} />
      </div>
    </>
  ),
}

const KEEP = [
  ['rows', 'Cached rows', '1 to 10,000'],
  ['bytes', 'Cached bytes', '1,000 to 4,000,000'],
  ['repeatSeconds', 'Seconds to answer the same statement from the cache', '0 to 1,800'],
] as const

/** Section for the cached rest of large answers. */
export const keep: SettingsSection = {
  id: 'keep',
  title: 'Rest of large answers',
  fields: ['keep'],
  read: (fields) => ({
    keep:
      fields.has('keep') &&
      Object.fromEntries(KEEP.map(([it]) => [it, numberIn(fields, `keep.${it}`)])),
  }),
  show: (draft, { keep }) => (
    <>
      <Tick draft={draft} name="keep" stored={keep !== false}>
        Cache rows that do not fit in an answer for half an hour, encrypted and only for the same
        caller
      </Tick>
      <div class="pair">
        <Numbers draft={draft} name="keep" of={KEEP} stored={keep || undefined} />
      </div>
    </>
  ),
}

const USES = [
  ['concurrent', 'tools at once', '1 to 1,000'],
  ['rowsPerDay', 'rows a day', 'Days are in UTC'],
  ['bytesPerDay', 'bytes a day', '1,000 and more'],
] as const

const RATES = ['10', '30', '60', '120', '300', '600']

/** Section for usage limits. */
export const limits: SettingsSection = {
  id: 'limits',
  title: 'Usage limits',
  fields: ['limits'],
  read(fields) {
    const use = (who: string) =>
      Object.fromEntries(USES.map(([it]) => [it, numberIn(fields, `limits.${who}.${it}`)]))
    const name = 'limits.caller.callsPerMinute'
    const caller = { ...use('caller'), callsPerMinute: numberIn(fields, name) }
    const endpoint = use('endpoint')
    const isNothing = [caller, endpoint].every((it) => Object.values(it).every((at) => at === null))
    return { limits: isNothing ? null : { caller, endpoint } }
  },
  show: (draft, { limits = {} }) => (
    <>
      <p class="small dim">Empty means no limit.</p>
      {(['caller', 'endpoint'] as const).map((who) => (
        <Ticks
          draft={draft}
          name={`limits.${who}`}
          legend={who === 'caller' ? 'Each caller' : 'All callers together'}
        >
          <div class="pair">
            {who === 'caller' && (
              <Choice
                draft={draft}
                name="limits.caller.callsPerMinute"
                label="Calls a minute"
                stored={limits.caller?.callsPerMinute}
                options={[['', 'no limit'], ...RATES.map((it) => [it, it] as const)]}
              />
            )}
            <Numbers
              draft={draft}
              name={`limits.${who}`}
              of={USES.map(([it, label, hint]) => [
                it,
                `${who === 'caller' ? 'Each: ' : 'Together: '}${label}`,
                hint,
              ])}
              stored={limits[who]}
            />
          </div>
        </Ticks>
      ))}
    </>
  ),
}

const KEPT = [
  ['count', 'Calls to keep', '100 to 100,000'],
  ['days', 'Days to keep them', '1 to 400'],
] as const

/** Section for the call log. */
export const records: SettingsSection = {
  id: 'records',
  title: 'Call log',
  fields: ['records'],
  read: (fields) => ({
    records: fields.has('records') && {
      literals: fields.has('records.literals'),
      count: numberIn(fields, 'records.count'),
      days: numberIn(fields, 'records.days'),
    },
  }),
  show: (draft, { records }) => (
    <>
      <Tick draft={draft} name="records" stored={records !== false}>
        Log each call: caller, statement, size and duration
      </Tick>
      <Tick
        draft={draft}
        name="records.literals"
        stored={records !== false && records.literals === true}
      >
        Include the values in statements. They can contain callers’ secrets.
      </Tick>
      <div class="pair">
        <Numbers draft={draft} name="records" of={KEPT} stored={records || undefined} />
      </div>
    </>
  ),
}
