// Measures processor time per request, for each target and case, in several rounds.
import { fork } from 'node:child_process'
import { resolve } from 'node:path'
import { bytesOf, open, request, verify } from './requests.mjs'
import { processorTime, start } from './workerd.mjs'

/** Number of simultaneous requests. */
const CONNECTIONS = 32

const child = fork(resolve(import.meta.dirname, 'driver.mjs'))
child.unref()
child.channel.unref()

/** Lets the client send requests to a port. @returns its results, and the server's cost per request */
export async function drive(pid, work) {
  const { promise: over, resolve: done, reject } = Promise.withResolvers()
  const lost = () => reject(new Error('The client has ended.'))
  child.channel.ref()
  child.once('message', done).once('exit', lost)
  const before = processorTime(pid)
  child.send({ connections: CONNECTIONS, ...work })
  const outcome = await over.finally(() => child.channel.unref())
  child.off('exit', lost)
  const cpu = (processorTime(pid) - before) / outcome.answered
  if (outcome.failed > 0) throw new Error(`${outcome.failed} requests failed.`)
  return { ...outcome, cpu }
}

/** The path that a case is sent to. */
const pathOf = ({ path = '/mcp' }) => path

/**
 * Runs one round for a target in a new runtime: warms up each era, then measures each case.
 * @param cases the requests
 * @returns a row for each measurement
 */
export async function round({ name, eras, place }, cases, { warm, seconds }) {
  const [first] = Object.values(cases)
  const server = await start(place)
  const origin = `http://127.0.0.1:${server.port}`
  const rows = []
  try {
    for (const era of eras) {
      const many = era === 'session' ? CONNECTIONS : 1
      const ways = []
      for (let i = 0; i < many; i++) ways.push(await open(origin + pathOf(first), era))
      const requests = (it) => ways.map((how) => bytesOf(request(how, it), pathOf(it)))
      for (const it of Object.values(cases)) await verify(origin + pathOf(it), ways[0], it)
      await drive(server.pid, { port: server.port, requests: requests(first), seconds: warm })
      for (const [which, it] of Object.entries(cases)) {
        const work = { port: server.port, requests: requests(it), seconds }
        const what = `${era}: ${it.says}`
        rows.push({ what, name, era, case: which, ...(await drive(server.pid, work)) })
      }
      for (const it of Object.values(cases)) await verify(origin + pathOf(it), ways[0], it)
    }
  } catch (error) {
    throw new Error(`${name}: ${error.message}\n${server.log().slice(-500)}`)
  } finally {
    await server.stop()
  }
  return rows
}
