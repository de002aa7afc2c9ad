import { connect } from 'node:net'
import { startTcp, type TcpServer } from './tcp.ts'

/** What has passed through a server that counts. */
export interface Counts {
  /** Connections that were opened, or requests that were sent. */
  readonly trips: number
  /** How often a client could go on only with an answer. */
  readonly turns: number
}

/** A server that passes connections on, and counts what its clients wait for. */
export interface CountingServer extends Pick<TcpServer, 'port' | 'open' | 'close'> {
  /** What has passed so far. */
  readonly counts: Counts
}

/**
 * Starts one in front of a port of this machine, as if that were far away. What a client says before it
 * hears anything is one turn, in however many pieces it comes. So is the answer to that. The way has
 * to be longer than the server needs for an answer, or else a late piece of it is counted as another turn.
 */
export async function startCounting(port: number, delayMs = 50): Promise<CountingServer> {
  let [trips, turns] = [0, 0]
  // Timers of one length end in the order in which they began.
  const later = (work: () => void) => void setTimeout(work, delayMs)
  const server = await startTcp((client) => {
    trips++
    /** The last turn that has reached the server, and the last one whose answer has reached the client. */
    let [asked, answered] = [0, 0]
    const upstream = connect(port, '127.0.0.1')
    client.on('data', (chunk) => {
      const turn = answered + 1
      later(() => {
        asked = turn
        if (!upstream.destroyed) upstream.write(chunk)
      })
    })
    upstream.on('data', (chunk) => {
      const turn = asked
      later(() => {
        if (client.destroyed) return
        if (turn > answered) turns++
        answered = turn
        client.write(chunk)
      })
    })
    client.on('close', () => later(() => upstream.destroy()))
    upstream.on('error', () => {}).on('close', () => later(() => client.destroy()))
  })
  return {
    port: server.port,
    get open() {
      return server.open
    },
    get counts() {
      return { trips, turns }
    },
    close: () => server.close(),
  }
}
