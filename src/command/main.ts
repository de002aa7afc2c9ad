// Serves databases to the program that started it, or manages a deployment: docs/stdio.md and docs/command-line.md.
// Loads only the modules it needs, because a host waits for the first response.
const argv = process.argv.slice(2)
const [first = ''] = argv
// Words are commands. A URL, a file or an option is something to serve.
if (first === 'run') await (await import('./run/own-server.ts')).runOwnServer(argv.slice(1))
else if (/^[a-z][a-z-]*$/.test(first) && first !== 'serve')
  await (await import('./admin.ts')).runCommand(argv)
else await (await import('./run/serve.ts')).serve(argv)

export {}
