// `tidegate deploy`: a Worker in your own Cloudflare account.
import { randomBytes } from 'node:crypto'
import { isWeak } from '../../ground/index.ts'
import { command, type common, type OptionValues } from '../command.ts'
import { isClone } from '../root.ts'
import { CommandFailure, Mistake } from '../terminal/failure.ts'
import { asked, confirmed, print } from '../terminal/output.ts'
import { readUrl, urlEnv } from '../terminal/read-secret.ts'
import { plain } from '../terminal/table.ts'
import { clone, projectIn, type WorkerFolder } from './project.ts'
import { install, wrangler } from './wrangler.ts'

const deployOptions = {
  name: { type: 'string', value: 'NAME', about: 'the name of the Worker; default: tidegate' },
  ...urlEnv,
  demo: { type: 'boolean', about: 'no database for now; use the built-in demo' },
  unchecked: { type: 'boolean', about: 'do not check the database from here first' },
  'dry-run': { type: 'boolean', about: 'do everything except the upload' },
  package: {
    type: 'string',
    value: 'SPEC',
    about: 'what npm installs as tidegate; default: this version',
  },
} as const

type DeployOptions = OptionValues<typeof deployOptions & typeof common>

const NAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

export const deployCommand = command({
  words: 'deploy',
  args: ['[FOLDER]'],
  about: 'Deploys a Worker to your Cloudflare account, or updates it.',
  more: `It creates a small project in FOLDER (default: ./tidegate, or in a clone of the repository, the clone itself),
asks for the connection string, generates the keys, and runs wrangler. Run it again to update. Secrets that are already
set stay. Without a terminal, name the database with --url-env, or use --demo. CLOUDFLARE_API_TOKEN selects the account.`,
  options: deployOptions,
  async runHere({ args: [folder], options }) {
    const { name = 'tidegate', 'dry-run': isDry } = options
    const { TIDEGATE_KEY } = process.env
    if (TIDEGATE_KEY && isWeak(TIDEGATE_KEY))
      throw new Mistake(
        'TIDEGATE_KEY can be guessed: it has fewer than 32 characters, or fewer than 8 different ones. Make another one with: openssl rand -hex 32',
      )
    if (!NAME.test(name))
      throw new Mistake('A Worker name can have only lowercase letters, digits and "-".')
    const place = await placeOf(folder, name, options)
    if (place.added.length > 0)
      console.error(`Added to wrangler.toml for this version: ${place.added.join(', ')}.`)
    const url = await databaseOf(options)
    if (url !== undefined && !options.unchecked) await assertReads(url, options)
    if (place.needsInstall) {
      console.error(`Installing tidegate and wrangler in ${place.folder} …`)
      await install(place.folder)
    }
    // An explicit name overrides the one in the file.
    const named = options.name ? ['--name', name] : []
    console.error(isDry ? 'Building …' : 'Deploying …')
    const dry = isDry ? ['--dry-run'] : []
    const said = await wrangler(place.folder, ['deploy', ...named, ...dry])
    const there = isDry ? [] : await secretsOf(place.folder, named)
    const secrets = secretsFor(url, there)
    if (!isDry && Object.keys(secrets).length > 0) {
      await wrangler(place.folder, ['secret', 'bulk', ...named], JSON.stringify(secrets))
    }
    report(options, said, secrets, place)
  },
})

async function placeOf(
  folder: string | undefined,
  name: string,
  { package: spec }: DeployOptions,
): Promise<WorkerFolder> {
  if (folder === undefined && isClone && !spec) return clone
  return await projectIn(folder ?? 'tidegate', name, spec)
}

/** The connection string. Undefined for the demo, and for a secret that is already set. */
async function databaseOf({
  demo,
  'url-env': variable,
}: DeployOptions): Promise<string | undefined> {
  if (demo && variable) throw new Mistake('Name a database, or use --demo.')
  if (demo) return undefined
  if (variable !== undefined) return await readUrl(variable)
  if (!process.stdin.isTTY)
    throw new Mistake('Name the database with --url-env NAME, or use --demo.')
  const answer = await asked(
    'Deploy with a database now? If not, it keeps what it has, or serves the demo. [Y/n] ',
  )
  return /^n/i.test(answer) ? undefined : await readUrl()
}

/** Runs the doctor on the database. If there is a problem, a person can continue anyway. */
async function assertReads(url: string, { json }: DeployOptions): Promise<void> {
  console.error('Checking the database …')
  const { checked } = await import('./check.ts')
  const { problem, findings } = await checked(url)
  for (const { kind } of findings)
    console.error(
      `The role can do more than read: ${plain(kind)}. The deployment's doctor says how to fix it.`,
    )
  if (!problem) return
  console.error(plain(problem))
  if (await confirmed({ json }, 'Deploy it anyway?')) return
  throw new CommandFailure(
    'Nothing was deployed. If only Cloudflare can reach this database, add --unchecked.',
  )
}

/** Lists the names of a Worker's secrets. */
async function secretsOf(folder: string, named: readonly string[]): Promise<string[]> {
  const text = await wrangler(folder, ['secret', 'list', ...named, '--format', 'json'])
  try {
    const secrets: { readonly name: string }[] = JSON.parse(text.slice(text.indexOf('[')))
    return secrets.map(({ name }) => name)
  } catch {
    throw new CommandFailure(
      'The output of wrangler secret list cannot be read. No secret was set.',
    )
  }
}

/** The secrets to set: those that were given, and new ones for those that are missing. */
function secretsFor(
  url: string | undefined,
  there: readonly string[],
): Readonly<Record<string, string>> {
  const isNew = (name: string) => !there.includes(name)
  const { TIDEGATE_KEY, TIDEGATE_SECRET } = process.env
  return {
    ...(url !== undefined && { DATABASE_URL: url }),
    ...((TIDEGATE_KEY || isNew('TIDEGATE_KEY')) && {
      TIDEGATE_KEY: TIDEGATE_KEY || `tg_${random()}`,
    }),
    ...((TIDEGATE_SECRET || isNew('TIDEGATE_SECRET')) && {
      TIDEGATE_SECRET: TIDEGATE_SECRET || random(),
    }),
  }
}

const random = () => randomBytes(32).toString('base64url')

function report(
  options: DeployOptions,
  said: string,
  secrets: Readonly<Record<string, string>>,
  place: WorkerFolder,
): void {
  const isDry = options['dry-run'] === true
  const [origin] = /https:\/\/[\w.-]+\.workers\.dev/.exec(said) ?? []
  const url = isDry || !origin ? undefined : `${origin}/mcp`
  // The generated secrets, which are printed because nobody else knows them.
  const made = Object.fromEntries(
    Object.entries(secrets).filter(
      ([name, it]) => name !== 'DATABASE_URL' && it !== process.env[name],
    ),
  )
  print(options, { folder: place.folder, dryRun: isDry, url, ...(!isDry && { made }) }, () =>
    [
      isDry
        ? `Nothing was uploaded. The project is in ${place.folder}.`
        : `URL to paste      ${url ?? 'https://YOUR-DOMAIN/mcp'}`,
      ...(isDry
        ? [`It would set these secrets: ${Object.keys(secrets).join(', ')}.`]
        : Object.entries(made).map(([name, it]) => `${name.padEnd(18)}${it}`)),
    ].join('\n'),
  )
  if (options.json || isDry) return
  const at = url ?? 'https://YOUR-DOMAIN/mcp'
  if (Object.keys(made).length > 0)
    console.error(
      '\nSave these: they are not shown again. The key opens the deployment. The secret opens its backups.',
    )
  console.error(`
Check that hosts can use it:     npx tidegate doctor ${at}
Add it to a host:                npx tidegate add claude-code ${at} --key-env TIDEGATE_KEY
Open the Console with the key:   ${at.replace(/mcp$/, 'console')}`)
}
