// `npm run example NAME`: serves one of the examples over HTTP, in the Workers runtime; with `-- --stdio` over stdio.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { start } from './child.mjs'

const root = resolve(import.meta.dirname, '..')
const folderOf = (name) => join(root, 'examples', name)
const names = readdirSync(join(root, 'examples')).filter((it) =>
  existsSync(join(folderOf(it), 'wrangler.toml')),
)
const options = { stdio: { type: 'boolean' }, port: { type: 'string', default: '8787' } }
const { values, positionals } = read()
const [name] = positionals
if (!names.includes(name)) {
  console.error(`Write one of these behind it: npm run example NAME\n\n  ${names.join('\n  ')}`)
  process.exit(2)
}

const { node } = await import('./install.mjs')
const command = values.stdio
  ? [join(root, 'bin/tidegate.mjs'), 'run', folderOf(name)]
  : [join(root, 'bin/new/start.mjs'), '--port', values.port]
const child = start(node, command, {
  cwd: values.stdio ? process.cwd() : folderOf(name),
  stdio: values.stdio ? 'inherit' : ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false' },
})
process.exit((await child.over) ?? 0)

function read() {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    console.error(error.message)
    process.exit(2)
  }
}
