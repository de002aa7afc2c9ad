// The folder of a new server: an example, with everything needed to run and test it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Manifest, ownManifest, root } from '../root.ts'
import { Mistake } from '../terminal/failure.ts'

const folderOf = (example: string) => join(root, 'examples', example)

/** The names of the examples. */
export const examples = () =>
  readdirSync(join(root, 'examples')).filter((it) =>
    existsSync(join(folderOf(it), 'wrangler.toml')),
  )

/** A project to create. */
interface NewProject {
  readonly name: string
  /** The example to start from. */
  readonly from: string
  /** The package that npm installs as `tidegate`: a version, or a packed file. */
  readonly spec?: string | undefined
}

/** Creates the project, and returns the paths of its files. Throws {@link Mistake} if the folder is not empty. */
export function makeProject(named: string, { name, from, spec }: NewProject): string[] {
  const folder = resolve(named)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Mistake(`${named} is not empty. Name another folder.`)
  }
  const files = {
    'package.json': `${JSON.stringify(manifest(name, spec), null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(typescript, null, 2)}\n`,
    '.gitignore': 'node_modules/\n.wrangler/\n.dev.vars\n.env*\n',
    'README.md': readme(name, from),
    'server.test.ts': readFileSync(join(root, 'bin/new/server.test.ts.txt'), 'utf8'),
    'start.mjs': readFileSync(join(root, 'bin/new/start.mjs'), 'utf8'),
    ...sources(name, from),
  }
  mkdirSync(folder, { recursive: true })
  // Never overwrites a file that was written in the meantime.
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(join(folder, path), text, { flag: 'wx' })
  }
  return Object.keys(files)
}

/** The example's code, and its configuration under the server's name. */
function sources(name: string, from: string): Record<string, string> {
  const own = readdirSync(folderOf(from)).filter((it) => /\.ts$|^wrangler\.toml$/.test(it))
  return Object.fromEntries(
    own.map((path) => {
      const text = readFileSync(join(folderOf(from), path), 'utf8')
      return [
        path,
        path === 'wrangler.toml'
          ? text.replace(/^#:schema.*\n/m, '').replace(/^name = .*$/m, `name = "${name}"`)
          : asOwn(text, from),
      ]
    }),
  )
}

/** The text of an example, with its paths and commands changed to a project's. */
const asOwn = (text: string, from: string): string =>
  text.replaceAll(`examples/${from}/`, '').replaceAll(/npm run example [\w-]+/g, 'npm start')

function manifest(name: string, spec: string | undefined): object {
  const own = ownManifest()
  const versions = (names: readonly string[]) =>
    Object.fromEntries(names.map((it) => [it, versionOf(own, it)]))
  return {
    name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: 'node start.mjs',
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
    // Their scripts only check that npm installed them. Without a setting, npm asks about them.
    allowScripts: { esbuild: false, workerd: false },
  }
}

/** The version that the examples are tested with. */
const versionOf = (own: Manifest, name: string): string | undefined =>
  own.dependencies[name] ?? own.devDependencies[name]

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

/** The first steps for a person, with the example's settings. */
function readme(name: string, from: string): string {
  const own = readFileSync(join(folderOf(from), 'README.md'), 'utf8')
  // A project has neither the repository's pages nor its commands.
  const lines = own
    .split(/\n(?=- |\n)/)
    .filter((it) => !/^# |npm run example/.test(it))
    .map((it) => asOwn(it, from).replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1'))
    .join('\n')
    .trim()
  return `# ${name}

${lines}

- \`npm start\` serves http://127.0.0.1:8787/mcp. Settings and secrets go into \`.dev.vars\`. \`npx wrangler dev\` does the
  same with a debugger, in which every program on this machine can read them.
- \`npm run stdio\` serves a host that starts a command: \`npx tidegate run ${'/path/to/'}${name}\`.
- \`npm test\` calls it as a client does, and \`npm run types\` checks its types.
- \`npm run deploy\` deploys it as a Worker. Secrets: \`npx wrangler secret put NAME\`.
`
}
