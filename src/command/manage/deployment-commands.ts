// Commands about the deployment as a whole: its state and its secret.
import { counted } from '../../ground/index.ts'
import type { Answers } from '../../registry/index.ts'
import { type Command, command } from '../command.ts'
import { print } from '../terminal/output.ts'
import { type TerminalColumn, table } from '../terminal/table.ts'
import type { ApiRequest } from './api.ts'
import { leavesOf } from './plan.ts'

const host = { type: 'string', multiple: true, value: 'HOST' } as const

export const deploymentCommands: readonly Command[] = [
  command({
    words: 'settings',
    args: [],
    about: 'Shows or changes the settings of the whole deployment.',
    more: 'A host is a name, "*.NAME" for all names within it, an address, or a block such as 10.1.0.0/16.',
    options: {
      default: { type: 'string', value: 'NAME', about: 'the endpoint at /mcp; "" for the oldest' },
      'allow-host': { ...host, about: 'a private host that databases can use; repeatable' },
      'forbid-host': { ...host, about: 'a private host to remove again; repeatable' },
    },
    async run({ ask, options }) {
      const { default: name, 'allow-host': allowed = [], 'forbid-host': forbidden = [] } = options
      const was = await ask<Answers['Settings']>('GET', '/api/settings')
      const hosts = new Set([...(was.privateHosts ?? []), ...allowed])
      for (const it of forbidden) hosts.delete(it)
      const changes = {
        ...(name !== undefined && { defaultEndpoint: name || null }),
        ...(allowed.length + forbidden.length > 0 && { privateHosts: [...hosts] }),
      }
      const isChange = Object.keys(changes).length > 0
      const settings = isChange
        ? await ask<Answers['Settings']>('PATCH', '/api/settings', changes)
        : was
      print(options, settings, () => {
        const { defaultEndpoint = 'the oldest', privateHosts = [] } = settings
        const hosts = privateHosts.join(', ') || 'none'
        return table(columns, [
          ['endpoint at /mcp', defaultEndpoint],
          ['private hosts', hosts],
        ])
      })
    },
  }),
  command({
    words: 'status',
    args: [],
    about: 'Shows the size of the registry.',
    more: 'Exit code 1 if TIDEGATE_SECRET is missing or too short.',
    async run({ ask, options }) {
      const status = await ask<Answers['Status']>('GET', '/api/status')
      print(options, status, () => table(columns, [...leavesOf(status)]))
      return status.secretProblem ? 1 : 0
    },
  }),
  command({
    words: 'reseal',
    args: [],
    about: 'Encrypts credentials and sign-ins again after TIDEGATE_SECRET has changed.',
    more: `First set the previous secret as TIDEGATE_SECRET_PREVIOUS, which can be deleted afterwards. Exit code 1 if
a credential cannot be read.`,
    async run({ ask, options }) {
      const all = await resealAll(ask)
      const { signIns, unreadable } = all
      const more = signIns ? `, and ${counted(signIns.resealed, 'sign-in value')},` : ''
      print(options, all, () => `Encrypted ${counted(all.resealed, 'credential')}${more} again.`)
      if (signIns && signIns.unreadable > 0 && !options.json) {
        const what = counted(signIns.unreadable, 'sign-in value')
        console.error(`Neither secret opens ${what}. The people affected must sign in again.`)
      }
      if (unreadable.length === 0) return 0
      if (!options.json) {
        console.error(
          'Neither secret opens these credentials. Set them again with `npx tidegate credential set`:',
        )
        console.error(table(unreadableColumns, unreadable))
      }
      return 1
    },
  }),
]

/** Encrypts credentials and sign-ins again, until none are left. The counts cover all requests. */
async function resealAll(ask: ApiRequest): Promise<ResealReport> {
  let [resealed, ofSignIns] = [0, 0]
  for (;;) {
    const last = await ask<ResealReport>('POST', '/api/credentials/reseal')
    const { signIns } = last
    resealed += last.resealed
    ofSignIns += signIns?.resealed ?? 0
    if ([last, signIns].some((it) => it && it.left > 0 && it.resealed > 0)) continue
    return { ...last, resealed, ...(signIns && { signIns: { ...signIns, resealed: ofSignIns } }) }
  }
}

interface ResealReport {
  readonly resealed: number
  readonly left: number
  readonly unreadable: readonly {
    readonly endpoint: string
    readonly database: string
    readonly group?: string
  }[]
  readonly signIns?: {
    readonly resealed: number
    readonly left: number
    readonly unreadable: number
  }
}

const columns: readonly TerminalColumn<readonly [string, unknown]>[] = [
  ['what', ([name]) => name],
  ['value', ([, value]) => value],
]

const unreadableColumns: readonly TerminalColumn<ResealReport['unreadable'][number]>[] = [
  ['endpoint', (it) => it.endpoint],
  ['database', (it) => it.database],
  ['group', (it) => it.group],
]
