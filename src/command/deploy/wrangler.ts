// Runs wrangler and npm.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { CommandFailure, codeOf } from '../terminal/failure.ts'

const MAX_CHARS = 1_000_000

/** Runs the wrangler that is installed in a folder, and returns its stdout. The login comes from the environment. */
export async function wrangler(
  folder: string,
  args: readonly string[],
  stdin?: string,
): Promise<string> {
  const { bin } = createRequire(join(folder, 'package.json'))('wrangler/package.json')
  const program = join(
    folder,
    'node_modules/wrangler',
    typeof bin === 'string' ? bin : bin.wrangler,
  )
  const { code, stdout, all } = await run(process.execPath, [program, ...args], {
    folder,
    stdin,
    env: { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false' },
  })
  if (code === 0) return stdout
  const { fix = 'See its output above.' } = faults.find(({ seen }) => seen.test(all)) ?? {}
  throw new CommandFailure(
    `wrangler ${args.slice(0, 2).join(' ').replace(/ -.*/, '')} failed (${code}). ${fix}`,
  )
}

/** Wrangler's messages, and what to do about them. */
const faults = [
  {
    seen: /CLOUDFLARE_API_TOKEN|not logged in|You are not authenticated|wrangler login/i,
    fix: 'It is not logged in to your account. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.',
  },
  {
    seen: /More than one account|CLOUDFLARE_ACCOUNT_ID|account_id/i,
    fix: 'You have several accounts. Set CLOUDFLARE_ACCOUNT_ID to the one to use.',
  },
  {
    seen: /Authentication error|code: 10000|code: 9109|Invalid access token/i,
    fix: 'Cloudflare rejects the token. It needs the permission "Workers Scripts: Edit" for this account.',
  },
  {
    seen: /workers\.dev subdomain/i,
    fix: 'Your account has no workers.dev subdomain yet. Choose one at dash.cloudflare.com, under Workers & Pages.',
  },
  {
    seen: /code: 10027|exceeded the (?:size )?limit|too large/i,
    fix: 'The Worker is larger than your plan allows. Check the plan under Workers & Pages.',
  },
  {
    seen: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|fetch failed|network/i,
    fix: 'Cloudflare cannot be reached from here. Check the network or the proxy, then run this again.',
  },
]

/** Installs a folder's packages. */
export async function install(folder: string): Promise<void> {
  const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'error']
  const { code } =
    process.platform === 'win32'
      ? await run('cmd', ['/c', 'npm', ...args], { folder })
      : await run('npm', args, { folder })
  if (code !== 0)
    throw new CommandFailure(`npm install failed (${code}) in ${folder}. See its output above.`)
}

/** Runs a program. Returns its output, and shows it on failure. */
function run(
  program: string,
  args: readonly string[],
  {
    folder,
    stdin,
    env,
  }: {
    readonly folder: string
    readonly stdin?: string | undefined
    readonly env?: NodeJS.Dict<string>
  },
): Promise<{ readonly code: number | null; readonly stdout: string; readonly all: string }> {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    // The program can prompt the person, unless it gets input from us.
    stdio: [stdin === undefined ? 'inherit' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  let [stdout, all] = ['', '']
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (stream === child.stdout) stdout = (stdout + text).slice(-MAX_CHARS)
      all = (all + text).slice(-MAX_CHARS)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', (error) =>
      reject(new CommandFailure(`${program} cannot be started (${codeOf(error)}).`)),
    )
    child.once('close', (code) => {
      if (code !== 0) process.stderr.write(all)
      resolve({
        code,
        stdout: stripVTControlCharacters(stdout),
        all: stripVTControlCharacters(all),
      })
    })
  })
}
