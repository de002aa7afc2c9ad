#!/usr/bin/env node
// Checks the version of Node, then starts the command, which is built from src/command/. Old versions read this file
// too, so it has no syntax newer than Node 18.
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 16)) {
  await refuse(
    `Tidegate needs Node 22.16 or newer, and this is ${node}: update Node, from https://nodejs.org.`,
  )
}
// Files made here hold keys or database answers, so only this user can read them.
process.umask(0o077)
// In a clone of the repository, the build may be older than the sources. The package has neither.
const builder = new URL('../scripts/up-to-date.mjs', import.meta.url)
if (existsSync(builder)) (await import(builder.href)).bringUpToDate()
await import('../lib/command/main.js')

/** Ends the process. A host shows the answer to its first request, and not stderr. */
async function refuse(message) {
  console.error(message)
  const [first = ''] = process.argv.slice(2)
  const isForHost = first === 'run' || !/^[a-z][a-z-]*$/.test(first)
  if (!isForHost || process.stdin.isTTY) process.exit(1)
  for await (const line of createInterface({ input: process.stdin })) {
    const [id] = /(?<="id" {0,9}: {0,9})(?:\d+|"[^"\\]*")/.exec(line) || []
    if (id)
      console.log(
        `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: -32_603, message })}}`,
      )
  }
  process.exit(1)
}
