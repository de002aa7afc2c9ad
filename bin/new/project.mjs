// The folder of a new server: an example, with what it takes to run and to test it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../api.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folderOf = (example) => join(root, 'examples', example)

/** The names of the examples. */
export const examples = () =>
  readdirSync(join(root, 'examples')).filter((it) =>
    existsSync(join(folderOf(it), 'wrangler.toml')),
  )

/**
 * Makes the project. Throws {@link Failure} if there is something in the folder.
 * @param spec what npm installs as `tidegate`: a version, or a packed file
 * @returns the paths of its files
 */
export function makeProject(named, { name, from, spec }) {
  const folder = resolve(named)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Failure(`${named} is not empty. Name another folder.`, 2)
  }
  const files = {
    'package.json': `${JSON.stringify(manifest(name, spec), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(typescript, null, 2)}\n`,
    '.gitignore': 'node_modules/\n.wrangler/\n.dev.vars\n.env*\n',
    'README.md': readme(name, from),
    'server.test.ts': readFileSync(new URL('server.test.ts.txt', import.meta.url), 'utf8'),
    ...sources(name, from),
  }
  mkdirSync(folder, { recursive: true })
  // Never over what somebody wrote meanwhile.
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(join(folder, path), text, { flag: 'wx' })
  }
  return Object.keys(files)
}

/** The code of the example, and its configuration under the name of the server. */
function sources(name, from) {
  const own = readdirSync(folderOf(from)).filter((it) => /\.ts$|^wrangler\.toml$/.test(it))
  const texts = own.map((it) => [it, readFileSync(join(folderOf(from), it), 'utf8')])
  return Object.fromEntries(
    texts.map(([path, text]) => [
      path,
      path === 'wrangler.toml'
        ? text.replace(/^#:schema.*\n/m, '').replace(/^name = .*$/m, `name = "${name}"`)
        : asOwn(text, from),
    ]),
  )
}

/** The text of an example, with the paths and commands of a project. */
const asOwn = (text, from) =>
  text.replaceAll(`examples/${from}/`, '').replaceAll(/npm run example [\w-]+/g, 'npm start')

function manifest(name, spec) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const versions = (names) => Object.fromEntries(names.map((it) => [it, versionOf(own, it)]))
  return {
    name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'wrangler dev',
      stdio: 'tidegate run',
      test: 'node --test',
      types: 'tsc',
      deploy: 'wrangler deploy',
    },
    dependencies: { tidegate: spec ?? `^${own.version}`, ...versions(['zod']) },
    devDependencies: versions([
      ...['@cloudflare/workers-types', '@modelcontextprotocol/client', '@types/node'],
      ...['typescript', 'wrangler'],
    ]),
    // They only look whether what npm installs is there. Without an answer npm asks.
    allowScripts: { esbuild: false, workerd: false },
  }
}

/** The version with which the examples are tested. */
const versionOf = (own, name) => own.dependencies[name] ?? own.devDependencies[name]

const typescript = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['@cloudflare/workers-types', 'node'],
    strict: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['*.ts'],
}

/** What a person needs to know first; and of the example, its settings. */
function readme(name, from) {
  const own = readFileSync(join(folderOf(from), 'README.md'), 'utf8')
  // Of the repository, a project has neither the pages nor the commands.
  const lines = own
    .split(/\n(?=- |\n)/)
    .filter((it) => !/^# |npm run example/.test(it))
    .map((it) => asOwn(it, from).replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1'))
    .join('\n')
    .trim()
  return `# ${name}

${lines}

- \`npm start\` serves http://127.0.0.1:8787/mcp. Settings and secrets go into \`.dev.vars\`.
- \`npm run stdio\` serves a host that starts a command: \`npx tidegate run ${'/path/to/'}${name}\`.
- \`npm test\` asks it as a client does, and \`npm run types\` checks its types.
- \`npm run deploy\` makes it a Worker. Secrets: \`npx wrangler secret put NAME\`.
`
}
