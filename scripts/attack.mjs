// `npm run attack`: installs missing packages, then runs the corpus of attacks. Arguments go to
// test/attack/attack.ts: npm run attack -- --help
// With TIDEGATE_PLATFORM=node or =stdio, the gateway runs on Node.
import { start } from './child.mjs'
import { node } from './install.mjs'
// Builds the Worker and the libraries that its drivers import.
import './build.mjs'
import { bringUpToDate } from './up-to-date.mjs'

// Built once, before many processes run the command at the same time.
bringUpToDate()

const attack = start(node, ['test/attack/attack.ts', ...process.argv.slice(2)], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: 'false', WRANGLER_SEND_METRICS: 'false' },
})
process.exit((await attack.over) ?? 130)
