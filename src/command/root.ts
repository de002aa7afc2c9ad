import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

const manifest = findPackageJSON(import.meta.url)!

/** The folder of the package, or of the clone of the repository, that this program runs from. */
export const root = dirname(manifest)

/** True if this program runs from a clone of the repository. */
export const isClone = existsSync(join(root, 'src/index.ts'))

/** The fields of the package's own package.json that new projects need. */
export interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Reads the package's own package.json. */
export const ownManifest = (): Manifest => JSON.parse(readFileSync(manifest, 'utf8'))
