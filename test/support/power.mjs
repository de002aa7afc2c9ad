// Loaded into a process before any other module. It copies to the folder $DISK what a disk would have after a power
// cut: each SQLite database as of the last sync of its log, and its other synced files. While the folder has a file
// `hold`, no sync ends. The file `syncs` has a line for each sync.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const disk = process.env.DISK
const { open } = fs

fs.open = async (path, ...more) => {
  const file = await open(path, ...more)
  const datasync = file.datasync.bind(file)
  file.datasync = async () => {
    const database = String(path).replace(/-wal$/, '')
    const known = [database, `${database}-wal`].map((it) => [it, readFileSync(it)])
    while (existsSync(join(disk, 'hold'))) await setTimeout(10)
    await datasync()
    for (const [name, bytes] of known) {
      const folder = basename(dirname(name))
      const kept = join(disk, folder.endsWith('.objects') ? folder : '', basename(name))
      mkdirSync(dirname(kept), { recursive: true })
      writeFileSync(kept, bytes)
    }
    appendFileSync(join(disk, 'syncs'), `${basename(path)}\n`)
  }
  return file
}
syncBuiltinESMExports()
