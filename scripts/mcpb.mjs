// `npm run mcpb`: makes dist/tidegate.mcpb, the bundle that hosts such as Claude Desktop install, and writes its
// hash to server.json. Given the path of a file, it makes that file and leaves server.json alone. The official
// command checks the manifest and packs.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { bringUpToDate } from './up-to-date.mjs'

bringUpToDate()
const root = resolve(import.meta.dirname, '..')
const { version, description, license, homepage, repository, engines } = read('package.json')

/** The form that the host shows to its user. */
const form = {
  database_url: {
    type: 'string',
    title: 'Connection string',
    description: 'postgres://user:password@host/db, mysql://…, or any other that you paste.',
    sensitive: true,
    required: true,
  },
  ssh: {
    type: 'string',
    title: 'SSH server',
    description: 'user@host, if the database is reached only through it.',
    required: false,
    default: '',
  },
  ssh_key: {
    type: 'file',
    title: 'SSH key',
    description: 'The private key for that server, if it is none of the usual ones.',
    required: false,
    default: '',
  },
  ca: {
    type: 'file',
    title: 'Certificate authority of PostgreSQL',
    description: 'A file in PEM, if the server has a certificate of a private authority.',
    required: false,
    default: '',
  },
}

const manifest = {
  manifest_version: '0.3',
  name: 'tidegate',
  display_name: 'Tidegate',
  version,
  description,
  author: { name: 'Tidegate', url: homepage.replace(/#.*/, '') },
  repository: { type: 'git', url: repository.url.replace(/^git\+/, '') },
  homepage,
  license,
  icon: 'icon.png',
  keywords: ['sql', 'postgres', 'mysql', 'sqlite', 'read-only'],
  server: {
    type: 'node',
    entry_point: 'bin/tidegate.mjs',
    mcp_config: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills it in
      args: ['${__dirname}/bin/tidegate.mjs', '--url-env', 'DATABASE_URL'],
      env: {
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the host fills it in
        DATABASE_URL: '${user_config.database_url}',
        SSH_TUNNEL: '${user_config.ssh}',
        SSH_KEY: '${user_config.ssh_key}',
        PGSSLROOTCERT: '${user_config.ca}',
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the host fills it in
      },
    },
  },
  tools_generated: true,
  user_config: form,
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
}

const folder = mkdtempSync(join(tmpdir(), 'mcpb-'))
const [given] = process.argv.slice(2)
const bundle = resolve(given ?? join(root, 'dist/tidegate.mcpb'))
try {
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', version }))
  cpSync(join(root, 'docs/pictures/icon.png'), join(folder, 'icon.png'))
  for (const it of [
    'bin',
    'lib/command',
    'lib/node',
    'lib/modules',
    'lib/THIRD-PARTY.txt',
    'LICENSE',
  ])
    copy(it)
  // The only library that the built modules import, reduced to the parts that they use.
  for (const it of ['package.json', 'LICENSE', 'v4', 'mini']) copy(`node_modules/zod/${it}`)
  mcpb('validate', join(folder, 'manifest.json'))
  mkdirSync(dirname(bundle), { recursive: true })
  mcpb('pack', folder, bundle)
} finally {
  rmSync(folder, { recursive: true })
}

if (!given) {
  const server = read('server.json')
  for (const it of server.packages) {
    if (it.registryType === 'mcpb') it.fileSha256 = hashOf(bundle)
  }
  writeFileSync(join(root, 'server.json'), `${JSON.stringify(server, null, 2)}\n`)
}

/** Copies runtime files only: no maps, no types, no CommonJS. */
function copy(path) {
  const runs = (from) => !/\.(?:map|d\.[cm]?ts|cjs)$/.test(from)
  cpSync(join(root, path), join(folder, path), { recursive: true, filter: runs })
}

function mcpb(...args) {
  const program = join(root, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js')
  execFileSync(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
}

function read(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function hashOf(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
