#!/usr/bin/env node
// Serves databases to the program that started it, or looks after a deployment: docs/stdio.md and
// docs/command-line.md. Only what is asked for is read, because a host waits for the first answer.
const [first = ''] = process.argv.slice(2)
// Older ones do not have what the modules import.
const { node } = process.versions
if (Number.parseInt(node, 10) < 20) {
  console.error(
    `Tidegate needs Node 22.16 or newer, and this is ${node}: update Node, from https://nodejs.org.`,
  )
  process.exit(1)
}
// Commands are words. What is served is a URL, a file or an option.
if (first === 'run') await import('./run/own-server.mjs')
else if (/^[a-z][a-z-]*$/.test(first) && first !== 'serve') await import('./admin.mjs')
else await import('./run/run.mjs')
