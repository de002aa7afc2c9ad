// Commands about the deployment as a whole: its state and its secret.
import { print } from './output.mjs'
import { leavesOf } from './plan.mjs'
import { count, table } from './table.mjs'

const host = { type: 'string', multiple: true, value: 'HOST' }

export const deploymentCommands = [
  {
    words: 'settings',
    args: [],
    about: 'Shows what holds for the whole deployment, or changes it.',
    more: 'A host is a name, "*.NAME" for all names within, an address, or a block such as 10.1.0.0/16.',
    options: {
      default: { type: 'string', value: 'NAME', about: 'the endpoint at /mcp; "" for the oldest' },
      'allow-host': { ...host, about: 'a private host that databases may have, may be repeated' },
      'forbid-host': { ...host, about: 'takes one of them back, may be repeated' },
    },
    async run({ ask, options }) {
      const was = await ask('GET', '/api/settings')
      const changes = changesOf(options, was)
      const isChange = Object.keys(changes).length > 0
      const settings = isChange ? await ask('PATCH', '/api/settings', changes) : was
      print(options, settings, () => {
        const { defaultEndpoint = 'the oldest', privateHosts = [] } = settings
        const hosts = privateHosts.join(', ') || 'none'
        return table(columns, [
          ['endpoint at /mcp', defaultEndpoint],
          ['private hosts', hosts],
        ])
      })
    },
  },
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
    about: 'Encrypts credentials and sign-ins anew after a change of TIDEGATE_SECRET.',
    more: `First set the secret before as TIDEGATE_SECRET_PREVIOUS, which can be deleted afterwards. Exit code 1 if
a credential cannot be read.`,
    async run({ ask, options }) {
      let resealed = 0
      let ofSignIns = 0
      let last
      let isMore
      do {
        last = await ask('POST', '/api/credentials/reseal')
        const { signIns = { resealed: 0, left: 0 } } = last
        resealed += last.resealed
        ofSignIns += signIns.resealed
        isMore = [last, signIns].some((it) => it.left > 0 && it.resealed > 0)
      } while (isMore)
      const signIns = last.signIns && { ...last.signIns, resealed: ofSignIns }
      const more = signIns ? `, and ${count(ofSignIns, 'value')} of sign-ins` : ''
      const value = { ...last, resealed, ...(signIns && { signIns }) }
      print(options, value, () => `Encrypted ${count(resealed, 'credential')}${more} anew.`)
      if (signIns?.unreadable > 0 && !options.json) {
        const what = `${count(signIns.unreadable, 'value')} of sign-ins`
        console.error(`Neither secret opens ${what}. These people sign in again.`)
      }
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

/** What these options change of the settings. */
function changesOf(options, { privateHosts = [] }) {
  const { default: name, 'allow-host': allowed = [], 'forbid-host': forbidden = [] } = options
  const hosts = [...new Set([...privateHosts, ...allowed])].filter((it) => !forbidden.includes(it))
  return {
    ...(name !== undefined && { defaultEndpoint: name || null }),
    ...(allowed.length + forbidden.length > 0 && { privateHosts: hosts }),
  }
}

const columns = [
  ['what', ([name]) => name],
  ['value', ([, value]) => value],
]

const unreadableColumns = [
  ['endpoint', (it) => it.endpoint],
  ['database', (it) => it.database],
  ['group', (it) => it.group],
]
