import { Choice, Field, Tick, Ticks } from '../parts/field.tsx'
import { numberIn, type SettingsSection } from './section.ts'

const CAPS = [
  ['rows', 'Rows of an answer', '1 to 10,000'],
  ['bytes', 'Bytes of an answer’s rows', '1,000 to 80,000'],
  ['cell', 'Characters of one cell', '20 to 80,000'],
  ['timeoutMs', 'Milliseconds of one query', '100 to 55,000'],
  ['samples', 'Sample values of a column', '0 to 10'],
] as const

const COSTS = [
  ['plan', 'Estimated cost of a query', 'In the unit of the database’s planner'],
  [
    'rows',
    'Estimated rows of a query',
    'That it returns on PostgreSQL, and else that it goes through',
  ],
] as const

/** How large an answer may be. */
export const caps: SettingsSection = {
  id: 'caps',
  title: 'How large an answer is',
  fields: ['caps'],
  read(fields) {
    const cost = Object.fromEntries(COSTS.map(([it]) => [it, numberIn(fields, `caps.cost.${it}`)]))
    const isNothing = Object.values(cost).every((it) => it === null)
    const sizes = CAPS.map(([it]) => [it, numberIn(fields, `caps.${it}`)] as const)
    return { caps: { ...Object.fromEntries(sizes), cost: isNothing ? null : cost } }
  },
  show: (draft, { caps }) => (
    <>
      <p class="small dim">A model can ask for less, never for more. Empty means the default.</p>
      <div class="pair">
        {CAPS.map(([it, label, hint]) => (
          <Field
            draft={draft}
            name={`caps.${it}`}
            label={label}
            hint={hint}
            type="number"
            stored={caps[it]}
          />
        ))}
      </div>
      <p class="small dim">
        What the database itself estimates as dearer does not run. Empty means that nothing is
        estimated. SQLite estimates nothing.
      </p>
      <div class="pair">
        {COSTS.map(([it, label, hint]) => (
          <Field
            draft={draft}
            name={`caps.cost.${it}`}
            label={label}
            hint={hint}
            type="number"
            stored={caps.cost?.[it]}
          />
        ))}
      </div>
    </>
  ),
}

const KEEP = [
  ['rows', 'Rows that are kept', '1 to 10,000'],
  ['bytes', 'Bytes that are kept', '1,000 to 4,000,000'],
  ['repeatSeconds', 'Seconds in which the same statement is answered from them', '0 to 1,800'],
] as const

/** What is kept of a large answer. */
export const keep: SettingsSection = {
  id: 'keep',
  title: 'What is kept of a large answer',
  fields: ['keep'],
  read: (fields) => ({
    keep:
      fields.has('keep') &&
      Object.fromEntries(KEEP.map(([it]) => [it, numberIn(fields, `keep.${it}`)])),
  }),
  show: (draft, { keep }) => (
    <>
      <Tick draft={draft} name="keep" stored={keep !== false}>
        Keep what does not fit, for half an hour, encrypted, for the same caller only
      </Tick>
      <div class="pair">
        {KEEP.map(([it, label, hint]) => (
          <Field
            draft={draft}
            name={`keep.${it}`}
            label={label}
            hint={hint}
            type="number"
            stored={keep?.[it]}
          />
        ))}
      </div>
    </>
  ),
}

const USES = [
  ['concurrent', 'tools at once', '1 to 1,000'],
  ['rowsPerDay', 'rows a day', 'Days are those of UTC'],
  ['bytesPerDay', 'bytes a day', '1,000 and more'],
] as const

const RATES = ['10', '30', '60', '120', '300', '600']

/** How much may be used. */
export const limits: SettingsSection = {
  id: 'limits',
  title: 'How much may be used',
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
          legend={who === 'caller' ? 'Each caller' : 'All of them together'}
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
            {USES.map(([it, label, hint]) => (
              <Field
                draft={draft}
                name={`limits.${who}.${it}`}
                label={`${who === 'caller' ? 'Each: ' : 'Together: '}${label}`}
                hint={hint}
                type="number"
                stored={limits[who]?.[it]}
              />
            ))}
          </div>
        </Ticks>
      ))}
    </>
  ),
}

/** What is recorded of calls. */
export const records: SettingsSection = {
  id: 'records',
  title: 'What is recorded of calls',
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
        Record each call: who, what, how much and how long
      </Tick>
      <Tick
        draft={draft}
        name="records.literals"
        stored={records !== false && records.literals === true}
      >
        With the values in statements. They may be secrets of the people who ask.
      </Tick>
      <div class="pair">
        <Field
          draft={draft}
          name="records.count"
          label="Calls that are kept"
          hint="100 to 100,000"
          type="number"
          stored={records?.count}
        />
        <Field
          draft={draft}
          name="records.days"
          label="Days that they are kept"
          hint="1 to 400"
          type="number"
          stored={records?.days}
        />
      </div>
    </>
  ),
}
