// `node scripts/version.mjs 1.2.3`: writes a release's version into every file that contains it.
// Without an argument: prints the version in package.json.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** The files that contain the version, and the text around it. */
export const places = [
  { file: 'package.json', around: /("version": ")[^"]+(")/g },
  { file: 'package-lock.json', around: /("name": "tidegate",\n\s+"version": ")[^"]+(")/g },
  { file: 'server.json', around: /("version": ")[^"]+(")/g },
  { file: 'server.json', around: /(releases\/download\/v)[^/]+(\/)/g },
  { file: 'src/ground/version.ts', around: /(version = ')[^']+(')/g },
]

if (import.meta.main) {
  const [version] = process.argv.slice(2)
  if (version === undefined) {
    console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
  } else if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
    console.error('A version has three numbers: node scripts/version.mjs 1.2.3')
    process.exitCode = 1
  } else {
    for (const { file, around } of places) {
      const path = join(root, file)
      writeFileSync(path, readFileSync(path, 'utf8').replace(around, `$1${version}$2`))
    }
  }
}
