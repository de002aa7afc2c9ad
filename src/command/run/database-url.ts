import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connectionStrings, DatabaseError, hosts, locate } from '../../database/index.ts'
import { machineWith } from '../../node/index.ts'
import { Mistake } from '../terminal/failure.ts'

/** The driver's URL for a URL, a file, or any other pasted text. */
export async function databaseUrl(
  text: string,
  folder: string,
  say: (sentence: string) => void,
): Promise<string> {
  const trimmed = text.trim()
  const path = resolve(folder, trimmed.replace(/^(?:file|sqlite):(?!\/\/)/i, ''))
  // A URL's scheme has at least two letters: C:\shop.db is a file.
  const isNamed = !/^[a-z][a-z\d+.-]+:/i.test(trimmed) && /\.(?:sqlite3?|db3?|s3db)$/i.test(trimmed)
  const isPath = isNamed || /^(?:~?\/|\.{1,2}[\\/]|[a-z]:[\\/])/i.test(trimmed)
  if (isPath && !existsSync(path)) throw new Mistake(`There is no file ${shown(trimmed)}.`)
  const isFile = /^(?:file|sqlite):(?!\/\/)/i.test(trimmed) || isNamed
  if (isFile || isFileName(trimmed, path)) return pathToFileURL(path).href
  if (await isDatabaseUrl(trimmed)) return trimmed
  const found = await (await connectionStrings()).recognise(trimmed, machineWith(process.env))
  if (!('url' in found)) throw new Mistake(found.sentence)
  for (const sentence of [...found.changes, ...found.hints]) say(sentence)
  return found.url
}

const isFileName = (text: string, path: string): boolean =>
  text.length < 4_096 && !text.includes('://') && existsSync(path)

/** True if a string is a database URL. This does not load the driver. */
async function isDatabaseUrl(text: string): Promise<boolean> {
  try {
    locate(text, { fetch, bindings: {} })
    if (!URL.canParse(text)) (await hosts()).databaseUrl(text, true)
    return true
  } catch (error) {
    if (error instanceof DatabaseError) return false
    throw error
  }
}

/** A name, made safe for a message. */
export const shown = (text: string): string => text.replaceAll(/\p{C}/gu, '').slice(0, 200)
