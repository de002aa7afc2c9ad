// `tidegate deploy`: a Worker in one's own Cloudflare account.
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Failure } from './api.mjs'
import { confirmed } from './confirm.mjs'
import { checked } from './deploy/check.mjs'
import { clone, isClone, projectIn } from './deploy/project.mjs'
import { install, wrangler } from './deploy/wrangler.mjs'
import { print } from './output.mjs'
import { readUrl, urlEnv } from './read-secret.mjs'
import { plain } from './table.mjs'

const NAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

export const deployCommands = [
  {
    words: 'deploy',
    args: ['[FOLDER]'],
    about: 'Deploys a Worker to your Cloudflare account, or updates it.',
    more: `It makes a small project in FOLDER (else ./tidegate; in a clone of the repository, the clone itself), asks for
the connection string, makes the keys, and runs wrangler. Run it again to update. Secrets that are set already stay.
Without a terminal: name the database with --url-env, or take --demo. CLOUDFLARE_API_TOKEN says whose account it is.`,
    needsKey: false,
    options: {
      name: { type: 'string', value: 'NAME', about: 'the name of the Worker; else tidegate' },
      ...urlEnv,
      demo: { type: 'boolean', about: 'no database for now: the built-in demo' },
      unchecked: { type: 'boolean', about: 'do not look at the database from here first' },
      'dry-run': { type: 'boolean', about: 'do everything but the upload' },
      package: {
        type: 'string',
        value: 'SPEC',
        about: 'what npm installs as tidegate; else this version',
      },
    },
    async run({ args: [folder], options }) {
      const { name = 'tidegate', 'dry-run': isDry } = options
      if (!NAME.test(name))
        throw new Failure('A Worker has a name of lower-case letters, digits and "-".', 2)
      const place = placeOf(folder, name, options)
      const url = await databaseOf(options)
      if (url !== undefined && !options.unchecked) await assertReads(url, options)
      if (place.needsInstall) {
        console.error(`Installs tidegate and wrangler in ${place.folder} …`)
        await install(place.folder)
      }
      // One that is given wins over that in the file.
      const named = options.name ? ['--name', name] : []
      console.error(isDry ? 'Builds …' : 'Deploys …')
      const dry = isDry ? ['--dry-run'] : []
      const said = await wrangler(place.folder, ['deploy', ...named, ...dry])
      const there = isDry ? [] : await secretsOf(place.folder, named)
      const secrets = secretsFor(url, there)
      if (!isDry && Object.keys(secrets).length > 0) {
        await wrangler(place.folder, ['secret', 'bulk', ...named], {
          stdin: JSON.stringify(secrets),
        })
      }
      report({ options, said, secrets, place })
    },
  },
]

function placeOf(folder, name, options) {
  if (folder === undefined && isClone && !options.package) return clone
  return projectIn(folder ?? 'tidegate', { name, spec: options.package })
}

/** The connection string; undefined for the demo, and for one that is there already. */
async function databaseOf({ demo, 'url-env': variable }) {
  if (demo && variable) throw new Failure('Name a database, or take --demo.', 2)
  if (demo) return undefined
  if (variable !== undefined) return await readUrl(variable)
  if (!process.stdin.isTTY)
    throw new Failure('Name the database with --url-env NAME, or take --demo.', 2)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines
    .question('Deploy with a database now? Without, it has the demo, or what it has. [Y/n] ')
    .finally(() => lines.close())
  return /^n/i.test(answer.trim()) ? undefined : await readUrl()
}

/** Has the doctor look at the database. A person may go on if it does not answer here. */
async function assertReads(url, options) {
  console.error('Looks at the database …')
  const { problem, findings } = await checked(url)
  for (const { kind } of findings)
    console.error(
      `The role may do more than read: ${plain(kind)}. The doctor of the deployment says how to mend it.`,
    )
  if (!problem) return
  console.error(plain(problem))
  if (await confirmed({ json: options.json }, 'Deploy it anyway?')) return
  throw new Failure(
    'Nothing was deployed. If only Cloudflare reaches this database, add --unchecked.',
  )
}

/** The names of the secrets that a Worker has. */
async function secretsOf(folder, named) {
  const text = await wrangler(folder, ['secret', 'list', ...named, '--format', 'json'])
  try {
    return JSON.parse(text.slice(text.indexOf('['))).map(({ name }) => name)
  } catch {
    throw new Failure('wrangler secret list says nothing that can be read. No secret was set.')
  }
}

/** The secrets to set: what was given, and what is not there yet. */
function secretsFor(url, there) {
  const isNew = (name) => !there.includes(name)
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

function report({ options, said, secrets, place }) {
  const isDry = options['dry-run'] === true
  const [origin] = /https:\/\/[\w.-]+\.workers\.dev/.exec(said) ?? []
  const url = isDry || !origin ? undefined : `${origin}/mcp`
  // Those that this made: nobody else could know them.
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
      '\nKeep these: they are not shown again. The key opens the deployment; the secret opens its backups.',
    )
  console.error(`
Look whether hosts can use it:   npx tidegate doctor ${at}
Add it to one:                   npx tidegate add claude-code ${at} --key-env TIDEGATE_KEY
The Console, with the key:       ${at.replace(/mcp$/, 'console')}`)
}
