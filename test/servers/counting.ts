import { connect } from 'node:net'
import { startTcp, type TcpServer } from './tcp.ts'

/** The counts of a counting server. */
export interface Counts {
  /** Connections that were opened, or requests that were sent. */
  readonly trips: number
  /** How often a client had to wait for an answer. */
  readonly turns: number
}

/** A server that forwards connections, and counts the answers that its clients wait for. */
export interface CountingServer extends Pick<TcpServer, 'port' | 'open' | 'close'> {
  /** The counts so far. */
  readonly counts: Counts
}

/**
 * Starts one in front of a port of this machine, with the delay of a distant server. Everything that a
 * client sends before it receives something is one turn, in any number of pieces. So is the answer. The
 * delay has to be longer than the server takes for an answer, or a late piece counts as another turn.
 */
export async function startCounting(port: number, delayMs = 50): Promise<CountingServer> {
  let [trips, turns] = [0, 0]
  // Timers with the same delay end in the order in which they began.
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
