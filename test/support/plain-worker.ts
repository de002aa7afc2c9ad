import { connect } from 'node:net'
// @ts-expect-error: plain JavaScript
import { bundle, flags } from '../../bench/build.mjs'
// @ts-expect-error: plain JavaScript
import { configure, start } from '../../bench/workerd.mjs'
import { onNode, startNodeWorker } from './node-worker.ts'

/** The Worker in plain workerd, without a wrangler proxy that reads requests first. */
export interface PlainWorker {
  readonly port: number
  log(): string
  /** Sends a raw request, and reads the status, the head and the body of its response. */
  send(
    head: readonly string[],
    body?: string,
  ): Promise<{ status: number; head: string; body: string }>
  stop(): Promise<void>
}

/** The settings to build and run the Worker with these variables, or another Worker with the same objects. */
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

/** Starts the Worker with these variables, or another Worker with the same objects. */
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
        // A stream does not end, so its first event is enough.
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
