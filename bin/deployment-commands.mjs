// Commands about the deployment as a whole: its state and its secret.
import { print } from './output.mjs'
import { leavesOf } from './plan.mjs'
import { count, table } from './table.mjs'

export const deploymentCommands = [
  {
    words: 'status',
    args: [],
    about: 'Shows how much the registry holds.',
    more: 'Exit code 1 if TIDEGATE_SECRET is missing or too short.',
    async run({ ask, options }) {
      const status = await ask('GET', '/api/status')
      print(options, status, () => table(columns, [...leavesOf(status)]))
      return status.secretProblem ? 1 : 0
    },
  },
  {
    words: 'reseal',
    args: [],
    about: 'Encrypts credentials anew after a change of TIDEGATE_SECRET.',
    more: `First set the secret before as TIDEGATE_SECRET_PREVIOUS, which can be deleted afterwards. Exit code 1 if
a credential cannot be read.`,
    async run({ ask, options }) {
      let resealed = 0
      let last
      do {
        last = await ask('POST', '/api/credentials/reseal')
        resealed += last.resealed
      } while (last.left > 0 && last.resealed > 0)
      print(
        options,
        { ...last, resealed },
        () => `Encrypted ${count(resealed, 'credential')} anew.`,
      )
      if (last.unreadable.length === 0) return 0
      if (!options.json) {
        console.error(
          'Neither secret opens these. Set them again with `npx tidegate credential set`:',
        )
        console.error(table(unreadableColumns, last.unreadable))
      }
      return 1
    },
  },
]

const columns = [
  ['what', ([name]) => name],
  ['value', ([, value]) => value],
]

const unreadableColumns = [
  ['endpoint', (it) => it.endpoint],
  ['database', (it) => it.database],
  ['group', (it) => it.group],
]
