import { connect } from 'node:net'
// @ts-expect-error: plain JavaScript
import { bundle, flags } from '../../bench/build.mjs'
// @ts-expect-error: plain JavaScript
import { configure, start } from '../../bench/workerd.mjs'
import { onNode, startNodeWorker } from './node-worker.ts'

/** The Worker in plain workerd: no proxy of wrangler's reads a request before it does. */
export interface PlainWorker {
  readonly port: number
  log(): string
  /** Sends a request as it is written, and reads the status and the body of its answer. */
  send(
    head: readonly string[],
    body?: string,
  ): Promise<{ status: number; head: string; body: string }>
  stop(): Promise<void>
}

/** How the Worker is built and run, with these variables; or another one that has its objects. */
export const targetOf = (vars: Readonly<Record<string, string>>, entry = '../../src/index.ts') => ({
  entry,
  objects: {
    DEMO: 'DemoStore',
    SESSIONS: 'McpSession',
    REGISTRY: 'Registry',
    METER: 'Meter',
    RECORDS: 'CallRecords',
    AUTHORIZATION: 'Authorization',
  },
  flags,
  vars,
})

/** Starts it with these variables; or another Worker that has its objects. */
export async function startPlainWorker(
  vars: Record<string, string>,
  entry?: string,
): Promise<PlainWorker> {
  const { port, log, stop } = await (onNode ? startOnNode : startInWorkerd)(vars, entry)
  const send: PlainWorker['send'] = (head, body = '') =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('utf8')
      socket.on('data', (chunk) => {
        text += chunk
        // A stream has no end: what it begins with is enough.
        if (text.includes('event: endpoint')) socket.destroy()
      })
      socket.on('error', reject)
      socket.on('close', () => {
        const [top = '', ...rest] = text.split('\r\n\r\n')
        resolve({ status: Number(top.split(' ')[1]), head: top, body: rest.join('\r\n\r\n') })
      })
      const more = [`Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
      socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n${body}`)
    })
  return { port, log, send, stop }
}

async function startInWorkerd(vars: Record<string, string>, entry?: string) {
  const target = targetOf(vars, entry)
  return start(configure(target, await bundle(target)))
}

async function startOnNode(vars: Record<string, string>, entry?: string) {
  const { url, logs, close } = await startNodeWorker(vars, entry?.replace(/^(\.\.\/)+/, ''))
  return {
    port: Number(new URL(url).port),
    log: () => logs().join('\n'),
    stop: () => close('SIGKILL'),
  }
}
