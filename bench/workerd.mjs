// Starts plain workerd, wrangler's runtime, with one Worker and nothing in front of it.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { date } from './build.mjs'

const { default: workerd, version } = createRequire(import.meta.url)('workerd')

export { version }

const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

let count = 0

/**
 * Writes a Worker's configuration. @returns the folder, for {@link start}
 * @param target its `flags`; `objects`: its Durable Object classes by binding; `internet`: an address that
 * answers every request to the outside, whatever its host; `trusted`: certificates that are trusted like those of
 * public authorities; and `proto`: a header that marks a request as `https`
 * @param place the folder to write to: another Worker's folder keeps the data that its objects have stored
 */
export function configure(
  { flags = [], objects = {}, vars = {}, internet, trusted = [], proto },
  { modules },
  place = join(folder, String(++count)),
) {
  mkdirSync(join(place, 'objects'), { recursive: true })
  for (const [name, code] of modules) writeFileSync(join(place, name), code)
  const outside = internet
    ? `external = (address = ${q(internet)}, http = ())`
    : `network = (allow = ["private"], tlsOptions = (trustBrowserCas = true, trustedCertificates = [${trusted.map(q)}]))`
  const options = proto ? `(forwardedProtoHeader = ${q(proto)})` : '()'
  // An earlier version may lack a class.
  const code = modules.map(([, text]) => text).join('\n')
  const kept = Object.entries(objects).filter(([, it]) => code.includes(it))
  const bindings = [
    ...kept.map(([name, it]) => `(name = ${q(name)}, durableObjectNamespace = ${q(it)})`),
    ...Object.entries(vars).map(([name, it]) => `(name = ${q(name)}, text = ${q(it)})`),
  ]
  const classes = kept.map(
    ([, it]) => `(className = ${q(it)}, uniqueKey = ${q(it)}, enableSql = true)`,
  )
  writeFileSync(
    join(place, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "objects", disk = (path = "objects", writable = true)),
    (name = "internet", ${outside}),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = ${options}, service = "main")],
  # agents imports it. Plain workerd does not bring it.
  extensions = [(modules = [(
    name = "cloudflare-internal:email", internal = true,
    esModule = "export default { EmailMessage: class {} }",
  )])],
);
const main :Workerd.Worker = (
  modules = [${modules.map(([name]) => `(name = ${q(name)}, esModule = embed ${q(name)})`)}],
  compatibilityDate = ${q(date)},
  compatibilityFlags = [${flags.map(q)}],
  bindings = [${bindings}],
  durableObjectNamespaces = [${classes}],
  durableObjectStorage = (localDisk = "objects"),
);
`,
  )
  return place
}

const q = JSON.stringify

/** A runtime must listen within this time. */
const PATIENCE_MS = 20_000

/** Starts a configured Worker, with the options that `wrangler dev` gives workerd. */
export async function start(place, ...options) {
  const begun = performance.now()
  const child = spawn(
    workerd,
    ['serve', 'config.capnp', '--control-fd=3', '--experimental', ...options],
    {
      cwd: place,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  )
  running.add(child)
  let log = ''
  const keep = (chunk) => {
    if (log.length < 100_000) log += chunk
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const over = new Promise((resolve) => child.once('exit', resolve))
  void over.then(() => running.delete(child))
  let said = ''
  child.stdio[3].on('data', (chunk) => (said += chunk))
  const portOf = (event) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`workerd did not start.\n${log.slice(-2_000)}`))
      const timer = setTimeout(fail, PATIENCE_MS)
      void over.then(fail)
      const look = () => {
        const found = event.exec(said)?.[1]
        if (!found) return
        clearTimeout(timer)
        child.stdio[3].off('data', look)
        resolve(Number(found))
      }
      child.stdio[3].on('data', look)
      look()
    })
  const port = await portOf(/"event":"listen","socket":"http","port":(\d+)/)
  return {
    begun,
    port,
    pid: child.pid,
    inspector: () => portOf(/"event":"listen-inspector","port":(\d+)/),
    log: () => log,
    async stop() {
      child.kill('SIGKILL')
      await over
    },
  }
}

/** Microseconds of processor time that all threads of a process have used so far. */
export function processorTime(pid) {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const schedule = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
      nanoseconds += Number(schedule.split(' ')[0])
    } catch {
      // The thread has ended in the meantime.
    }
  }
  return nanoseconds / 1_000
}

/** Memory of a process in megabytes. */
export function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024)
}
