// The folder that a Worker is deployed from: a small project that uses the package, or a clone of the repository.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ownManifest, root } from '../root.ts'
import { Mistake } from '../terminal/failure.ts'

/** A Worker's folder. */
export interface WorkerFolder {
  readonly folder: string
  readonly needsInstall: boolean
  /** The settings that were added to its wrangler.toml. */
  readonly added: readonly string[]
}

/** The clone itself. */
export const clone: WorkerFolder = { folder: root, needsInstall: false, added: [] }

/**
 * Makes the project in a folder, or updates an existing one to this version.
 * @param spec the package that npm installs as `tidegate`: a version, or a packed file
 */
export async function projectIn(
  named: string,
  name: string,
  spec: string | undefined,
): Promise<WorkerFolder> {
  const own = ownManifest()
  const wanted = spec ?? `^${own.version}`
  const folder = resolve(named)
  const path = join(folder, 'package.json')
  const isNew = !existsSync(path)
  if (isNew && existsSync(folder) && readdirSync(folder).length > 0)
    throw new Mistake(`${named} is not empty, and is not a Tidegate project. Name another folder.`)
  const project: Project = isNew
    ? { name, private: true, type: 'module' }
    : readProject(path, named)
  const packages = {
    dependencies: { ...project.dependencies, tidegate: wanted },
    devDependencies: { wrangler: own.devDependencies.wrangler, ...project.devDependencies },
  }
  const configuration = join(folder, 'wrangler.toml')
  // Loaded here, because no other command needs its parser.
  const { upgraded } = await import('./upgrade.ts')
  const configured = existsSync(configuration)
    ? upgraded(readFileSync(configuration, 'utf8'), wranglerToml(name))
    : { text: wranglerToml(name), added: [] }
  mkdirSync(folder, { recursive: true })
  put(folder, 'package.json', `${JSON.stringify({ ...project, ...packages }, null, 2)}\n`)
  put(folder, 'wrangler.toml', configured.text)
  if (isNew) put(folder, '.gitignore', 'node_modules/\n.wrangler/\n.dev.vars\n.env*\n')
  const isThere = ['tidegate', 'wrangler'].every((it) =>
    existsSync(join(folder, 'node_modules', it, 'package.json')),
  )
  const isSame = project.dependencies?.tidegate === wanted
  return { folder, needsInstall: !isThere || !isSame, added: configured.added }
}

/** A project's package.json. */
interface Project extends Readonly<Record<string, unknown>> {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

function readProject(path: string, named: string): Project {
  try {
    const project: Project | null = JSON.parse(readFileSync(path, 'utf8'))
    if (project?.dependencies?.tidegate) return project
  } catch {
    // An unreadable package.json is not one of ours.
  }
  throw new Mistake(`${named} has a package.json without tidegate. Name another folder.`)
}

/** The repository's configuration, changed to use the package's built Worker. */
function wranglerToml(name: string): string {
  const built = 'node_modules/tidegate/lib/worker'
  return readFileSync(join(root, 'wrangler.toml'), 'utf8')
    .replace(/^#:schema.*\n/m, '')
    .replace(/^name = .*$/m, `name = "${name}"`)
    .replace(/^main = .*$/m, `main = "${built}/index.js"`)
    .replace(/^# scripts\/build\.mjs.*$/m, '# The package contains it, built as modules.')
    .replace(/^base_dir = .*$/m, `base_dir = "${built}"`)
    .split('\n\n')
    .filter((section) => !section.startsWith('[build]\n'))
    .join('\n\n')
}

const put = (folder: string, name: string, text: string): void =>
  writeFileSync(join(folder, name), text)
