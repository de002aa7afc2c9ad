// `tidegate changes`
import type { Answers } from '../../registry/index.ts'
import { command } from '../command.ts'
import { print } from '../terminal/output.ts'
import { type TerminalColumn, table, time } from '../terminal/table.ts'
import { last, lastOf } from './last.ts'

export const changeCommand = command({
  words: 'changes',
  args: [],
  about: 'Prints who changed what, newest last.',
  options: {
    endpoint: { type: 'string', value: 'NAME', about: 'only changes to this endpoint' },
    last: { ...last, about: 'how many, up to 200; default: 50' },
  },
  async run({ ask, options }) {
    const { endpoint } = options
    const limit = lastOf(options, 3)
    const query = new URLSearchParams({ limit, ...(endpoint && { endpoint }) })
    const { changes } = await ask<Answers['Changes']>('GET', `/api/changes?${query}`)
    changes.reverse()
    print(options, changes, () => table(columns, changes))
  },
})

const columns: readonly TerminalColumn<Answers['Change']>[] = [
  ['time (UTC)', (it) => time(it.time)],
  ['who', (it) => it.by],
  ['what', (it) => it.what],
]
