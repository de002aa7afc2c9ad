// `tidegate changes`
import { Failure } from './api.mjs'
import { print } from './output.mjs'
import { table, time } from './table.mjs'

export const changeCommands = [
  {
    words: 'changes',
    args: [],
    about: 'Prints who changed what, the newest last.',
    options: {
      endpoint: { type: 'string', value: 'NAME', about: 'only those of this endpoint' },
      last: { type: 'string', value: 'N', about: 'how many, up to 200; else 50' },
    },
    async run({ ask, options }) {
      const { endpoint, last = '50' } = options
      if (!/^\d{1,3}$/.test(last)) throw new Failure('--last is a number, such as 50.', 2)
      const query = new URLSearchParams({ limit: last, ...(endpoint && { endpoint }) })
      const { changes } = await ask('GET', `/api/changes?${query}`)
      changes.reverse()
      print(options, changes, () => table(columns, changes))
    },
  },
]

const columns = [
  ['time (UTC)', (it) => time(it.time)],
  ['who', (it) => it.by],
  ['what', (it) => it.what],
]
