// The folder that a Worker is deployed from: a small project that uses the package, or a clone of the repository.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from '../api.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Whether this program runs from a clone of the repository. */
export const isClone = existsSync(join(root, 'src/index.ts'))

/** The clone itself. */
export const clone = { folder: root, isNew: false, needsInstall: false }

/**
 * Makes the project in a folder, or brings the one that is there up to this version.
 * @param spec what npm installs as `tidegate`: a version, or a packed file
 */
export function projectIn(named, { name, spec }) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const wanted = spec ?? `^${own.version}`
  const folder = resolve(named)
  const path = join(folder, 'package.json')
  const isNew = !existsSync(path)
  if (isNew && existsSync(folder) && readdirSync(folder).length > 0)
    throw new Failure(`${named} is not empty, and no project of tidegate. Name another folder.`, 2)
  const project = isNew ? { name, private: true, type: 'module' } : readProject(path, named)
  const packages = {
    dependencies: { ...project.dependencies, tidegate: wanted },
    devDependencies: { wrangler: own.devDependencies.wrangler, ...project.devDependencies },
  }
  mkdirSync(folder, { recursive: true })
  put(folder, 'package.json', `${JSON.stringify({ ...project, ...packages }, null, 2)}\n`)
  const configuration = join(folder, 'wrangler.toml')
  // What a person added to it stays.
  if (!existsSync(configuration)) put(folder, 'wrangler.toml', wranglerToml(name))
  if (isNew) put(folder, '.gitignore', 'node_modules/\n.wrangler/\n.dev.vars\n.env*\n')
  const isThere = ['tidegate', 'wrangler'].every((it) =>
    existsSync(join(folder, 'node_modules', it, 'package.json')),
  )
  const isSame = project.dependencies?.tidegate === wanted
  return { folder, isNew, needsInstall: !isThere || !isSame }
}

function readProject(path, named) {
  try {
    const project = JSON.parse(readFileSync(path, 'utf8'))
    if (project.dependencies?.tidegate) return project
  } catch {
    // It is no project of ours either.
  }
  throw new Failure(`${named} has a package.json without tidegate. Name another folder.`, 2)
}

/** The configuration of the repository, for the Worker as the package has it built. */
function wranglerToml(name) {
  const built = 'node_modules/tidegate/lib/worker'
  return readFileSync(join(root, 'wrangler.toml'), 'utf8')
    .replace(/^#:schema.*\n/m, '')
    .replace(/^name = .*$/m, `name = "${name}"`)
    .replace(/^main = .*$/m, `main = "${built}/index.js"`)
    .replace(/^# scripts\/build\.mjs.*$/m, '# The package has it built, as modules.')
    .replace(/^base_dir = .*$/m, `base_dir = "${built}"`)
    .replace(/^\[build\]\n(?:.+\n)*\n/m, '')
}

const put = (folder, name, text) => writeFileSync(join(folder, name), text)
