import { closeSync, fsyncSync, openSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { logged } from '../logged.ts'

/**
 * The disk under a SQLite database. A transaction is in the write-ahead log, and a power cut can lose it
 * until the log is synced. All callers that wait at the same time share one sync.
 */
export class Disk {
  readonly #log: string
  #file: FileHandle | undefined
  #written = 0
  #synced = 0
  #syncing: Promise<void> | undefined
  #isClosed = false
  #isFaulty = false

  /** @param database the path of its file */
  constructor(database: string) {
    this.#log = `${database}-wal`
  }

  /** Notes that something was written. @returns the mark to wait for */
  wrote(): number {
    return ++this.#written
  }

  /** True if everything up to a mark survives a power cut. */
  has(mark: number): boolean {
    return this.#synced >= mark
  }

  /** Waits until the disk has everything up to a mark. Throws if that is not certain. */
  async keeps(mark: number): Promise<void> {
    while (!this.has(mark)) {
      this.#syncing ??= this.#sync().finally(() => {
        this.#syncing = undefined
      })
      await this.#syncing
    }
  }

  /** Call this before closing the database, which syncs the log itself. */
  close(): void {
    this.#isClosed = true
    if (!this.#syncing) this.#release()
  }

  async #sync(): Promise<void> {
    const mark = this.#written
    try {
      // The next sync would succeed without writing the data that a failed one dropped.
      if (this.#isFaulty) throw new Error('An earlier sync has failed.')
      this.#file ??= await openLog(this.#log)
      await this.#file.datasync()
    } catch (error) {
      if (!this.#isClosed) {
        this.#isFaulty = true
        logged(error)
        throw new Error('The disk does not keep what is written. Restart Tidegate.')
      }
    } finally {
      if (this.#isClosed) this.#release()
    }
    this.#synced = mark
  }

  #release(): void {
    this.#file?.close().catch(logged)
    this.#file = undefined
  }
}

/** Opens a log, and syncs its folder, where its name is new. */
async function openLog(path: string): Promise<FileHandle> {
  const file = await open(path, 'r+')
  syncFolder(dirname(path))
  return file
}

/** Syncs the names in a folder to the disk. Windows cannot open a folder, and does not need this. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** A database grows in steps of at most this size: a page, and its place in the log. */
const ROOM_BYTES = 64 * 1024

/** Throws unless a file next to this one can be written. That file is new, and is unlinked before it has content. */
export async function checkDisk(path: string): Promise<void> {
  const name = `${path}-${crypto.randomUUID()}`
  const file = await open(name, 'wx', 0o600)
  try {
    await rm(name)
    await file.writeFile(new Uint8Array(ROOM_BYTES))
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Holds back an object's results until its writes are on the disk. Without a change, nothing waits. */
export class OutputGate {
  readonly #marks = new Map<Disk, number>()

  /** Notes that the object wrote to a database. A database in memory has no disk. */
  wrote(disk: Disk | undefined): void {
    if (disk) this.#marks.set(disk, disk.wrote())
  }

  get isOpen(): boolean {
    for (const [disk, mark] of this.#marks) if (disk.has(mark)) this.#marks.delete(disk)
    return this.#marks.size === 0
  }

  /** Waits until all writes so far are on the disk. */
  async opened(): Promise<void> {
    await Promise.all([...this.#marks].map(([disk, mark]) => disk.keeps(mark)))
  }
}
