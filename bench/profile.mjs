// Shows where the time in a request goes: V8's profile of a target under load, by function.
import { bundle } from './build.mjs'
import { drive } from './load.mjs'
import { bytesOf, cases, open, request } from './requests.mjs'
import { configure, start } from './workerd.mjs'

const WARM_S = 2
const SECONDS = 5
const INTERVAL_US = 200

/** Prints a target's profile for a case. The Worker is not minified, so functions have names. */
export async function profile(target, era, name, shown = 40) {
  await profileOf(target, `${target.name}, ${era}, ${cases[name].says}`, shown, async (port) => {
    const how = await open(`http://127.0.0.1:${port}/mcp`, era)
    return { requests: [bytesOf(request(how, cases[name]), '/mcp')] }
  })
}

/** Prints the profile of any Worker, with the requests that `prepare` returns. */
export async function profileOf(target, what, shown, prepare) {
  const place = configure(target, await bundle(target, { minify: false }))
  const server = await start(place, '--inspector-addr=127.0.0.1:0')
  try {
    const { port, pid } = server
    const work = { port, ...(await prepare(port)) }
    const debug = await inspect(await server.inspector())
    await drive(pid, { ...work, seconds: WARM_S })
    await debug('Profiler.enable')
    await debug('Profiler.setSamplingInterval', { interval: INTERVAL_US })
    await debug('Profiler.start')
    const { answered } = await drive(pid, { ...work, seconds: SECONDS })
    const { profile: sampled } = await debug('Profiler.stop')
    print(sampled, answered, what, shown)
  } finally {
    await server.stop()
  }
}

/** Connects to the inspector of the only Worker. */
async function inspect(port) {
  const workers = await (await fetch(`http://127.0.0.1:${port}/json`)).json()
  const socket = new WebSocket(workers[0].webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const waiting = new Map()
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(data)
    waiting.get(id)?.(result)
  })
  return (method, params) => {
    const id = ++last
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => waiting.set(id, resolve))
  }
}

function print({ nodes, samples, timeDeltas }, answered, what, shown) {
  const byId = new Map(nodes.map((it) => [it.id, it]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((it) => [it, id])))
  const nameOf = (id) => {
    const { functionName, lineNumber } = byId.get(id).callFrame
    return `${functionName || '(anonymous)'}:${lineNumber + 1}`
  }
  const own = new Map()
  const whole = new Map()
  let total = 0
  const add = (map, name, us) => map.set(name, (map.get(name) ?? 0) + us)
  for (const [i, id] of samples.entries()) {
    if (/^\((idle|root)\)/.test(nameOf(id))) continue
    const us = timeDeltas[i]
    total += us
    add(own, nameOf(id), us)
    const seen = new Set()
    for (let at = id; at !== undefined; at = parents.get(at)) seen.add(nameOf(at))
    for (const name of seen) add(whole, name, us)
  }
  console.log(`\n${what}: ${(total / answered).toFixed(1)} µs a request while it is profiled`)
  for (const [title, map] of [
    ['in the function itself', own],
    ['with all it calls', whole],
  ]) {
    console.log(`\n${title}`)
    for (const [name, us] of [...map].sort((a, b) => b[1] - a[1]).slice(0, shown)) {
      const share = ((100 * us) / total).toFixed(1).padStart(5)
      console.log(`  ${share} %  ${(us / answered).toFixed(1).padStart(6)} µs  ${name}`)
    }
  }
}
