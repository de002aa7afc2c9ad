// The client: a separate process that sends requests over some connections. Each connection sends the
// next request as soon as it has the response to the last one.
import { connect } from 'node:net'

const PATIENCE_MS = 20_000

/**
 * Sends requests in turn for some seconds, and waits for the last responses.
 * @returns the numbers of responses with and without status 200, and the latencies in milliseconds
 */
async function drive({ port, requests, connections, seconds, atMost = Number.POSITIVE_INFINITY }) {
  const until = performance.now() + seconds * 1_000
  const bytes = requests.map((it) => Buffer.from(it))
  const latencies = []
  let sent = 0
  let failed = 0
  let received = 0
  const one = () =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let at = 0
      let answer = new Answer()
      let over = false
      const end = (whole) => {
        if (over) return
        over = true
        if (!whole) failed++
        socket.destroy()
        resolve()
      }
      const next = () => {
        if (sent >= atMost || performance.now() >= until) return end(true)
        answer = new Answer()
        at = performance.now()
        socket.write(bytes[sent++ % bytes.length])
      }
      socket.setTimeout(PATIENCE_MS, () => end(false))
      socket.on('connect', next)
      socket.on('error', () => end(false))
      socket.on('close', () => end(false))
      socket.on('data', (chunk) => {
        received += chunk.length
        if (!answer.take(chunk)) return
        if (answer.status === 200) latencies.push(performance.now() - at)
        else failed++
        next()
      })
    })
  const begun = performance.now()
  await Promise.all(Array.from({ length: connections }, one))
  const tookMs = performance.now() - begun
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.floor(latencies.length * share)]
  return { answered: latencies.length, failed, received, tookMs, p50: at(0.5), p99: at(0.99) }
}

/** Reads one HTTP response as it arrives: only its status, and where it ends. */
class Answer {
  status
  #head = ''
  #left
  #tail = ''

  /** True if the response is complete with this chunk. */
  take(chunk) {
    if (this.status === undefined) return this.#begin(chunk.toString('latin1'))
    if (this.#left === undefined) return this.#chunked(chunk.subarray(-5).toString('latin1'))
    this.#left -= chunk.length
    return this.#left <= 0
  }

  #begin(text) {
    this.#head += text
    const end = this.#head.indexOf('\r\n\r\n')
    if (end < 0) return false
    const head = this.#head.slice(0, end)
    this.status = Number(head.slice(9, 12))
    const rest = this.#head.length - end - 4
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) return this.#chunked(this.#head.slice(end + 4).slice(-5))
    this.#left = Number(length) - rest
    return this.#left <= 0
  }

  #chunked(end) {
    this.#tail = (this.#tail + end).slice(-5)
    return this.#tail === '0\r\n\r\n'
  }
}

process.on('message', async (work) => process.send(await drive(work)))
process.on('disconnect', () => process.exit())
