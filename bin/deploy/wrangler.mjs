// Runs wrangler and npm.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { Failure } from '../api.mjs'

const MAX_CHARS = 1_000_000

/**
 * Runs the wrangler of a folder; the environment says who is signed in.
 * @returns what it printed on stdout
 */
export async function wrangler(folder, args, { stdin } = {}) {
  const { bin } = createRequire(join(folder, 'package.json'))('wrangler/package.json')
  const program = join(
    folder,
    'node_modules/wrangler',
    typeof bin === 'string' ? bin : bin.wrangler,
  )
  const { code, stdout, all } = await run([process.execPath, program, ...args], {
    folder,
    stdin,
    env: { WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false' },
  })
  if (code === 0) return stdout
  const { seen, mend } = faults.find(({ seen }) => seen.test(all)) ?? {}
  throw new Failure(
    `wrangler ${args.slice(0, 2).join(' ').replace(/ -.*/, '')} failed (${code}).${
      seen ? ` ${mend}` : ' See what it says above.'
    }`,
  )
}

/** What wrangler says, and what to do about it. */
const faults = [
  {
    seen: /CLOUDFLARE_API_TOKEN|not logged in|You are not authenticated|wrangler login/i,
    mend: 'It does not know your account. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.',
  },
  {
    seen: /More than one account|CLOUDFLARE_ACCOUNT_ID|account_id/i,
    mend: 'You have several accounts. Set CLOUDFLARE_ACCOUNT_ID to the one it goes to.',
  },
  {
    seen: /Authentication error|code: 10000|code: 9109|Invalid access token/i,
    mend: 'Cloudflare refuses the token. It needs the right "Workers Scripts: Edit" for this account.',
  },
  {
    seen: /workers\.dev subdomain/i,
    mend: 'Your account has no workers.dev subdomain yet. Choose one at dash.cloudflare.com, under Workers & Pages.',
  },
  {
    seen: /code: 10027|exceeded the (?:size )?limit|script.*too large/i,
    mend: 'The Worker is larger than your plan takes. Look at the plan under Workers & Pages.',
  },
  {
    seen: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|fetch failed|network/i,
    mend: 'Cloudflare cannot be reached from here. Look at the network or the proxy, then run this again.',
  },
]

/** Installs the packages of a folder. */
export async function install(folder) {
  const npm = process.platform === 'win32' ? ['cmd', '/c', 'npm'] : ['npm']
  const args = ['install', '--no-audit', '--no-fund', '--loglevel', 'error']
  const { code } = await run([...npm, ...args], { folder })
  if (code !== 0)
    throw new Failure(`npm install failed (${code}) in ${folder}. See what it says above.`)
}

/** Runs a program. What it prints is returned, and shown if it fails. */
function run([program, ...args], { folder, stdin, env }) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    // It may ask the person something, unless it is told something.
    stdio: [stdin === undefined ? 'inherit' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  let [stdout, all] = ['', '']
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      if (stream === child.stdout) stdout = (stdout + text).slice(-MAX_CHARS)
      all = (all + text).slice(-MAX_CHARS)
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', ({ code }) =>
      reject(new Failure(`${program} cannot be started (${code}).`)),
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
