import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'

/** A listening socket. */
export interface Listening {
  readonly address: string
  readonly port: number
}

/** A process and all its descendants. */
export function treeOf(root: number): number[] {
  const parents = pids().flatMap((pid) => {
    // The name of a program can contain parentheses and spaces.
    const [, parent] = / \S (\d+) /.exec(read(`/proc/${pid}/stat`).replace(/^.*\)/, '')) ?? []
    return parent ? [[pid, Number(parent)] as const] : []
  })
  const all = [root]
  for (const pid of all) all.push(...parents.filter(([, it]) => it === pid).map(([it]) => it))
  return all
}

/** The arguments of a process. */
export const argumentsOf = (pid: number): string =>
  read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

/** The TCP sockets that a process listens on. */
export function listeningOf(pid: number): Listening[] {
  const inodes = new Set(descriptors(pid).map((it) => /^socket:\[(\d+)\]$/.exec(it)?.[1]))
  return ['tcp', 'tcp6'].flatMap((kind) =>
    read(`/proc/${pid}/net/${kind}`)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((it) => it[3] === '0A' && inodes.has(it[9]))
      .map((it) => placeOf(it[1]!)),
  )
}

/** True if the server at a loopback port accepts a debugger without a key. */
export async function answersAsDebugger(port: number): Promise<boolean> {
  for (const path of ['/json', '/json/list', '/json/version']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    const text = (await answer?.text().catch(() => undefined)) ?? ''
    if (/webSocketDebuggerUrl|Protocol-Version/i.test(text)) return true
  }
  for (const path of ['/', '/ws', '/core:user:tidegate', '/core:user:', '/core:entry']) {
    if (await upgrades(port, path)) return true
  }
  return false
}

/** True if the server accepts a WebSocket. */
function upgrades(port: number, path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    ),
  )
  socket.setTimeout(10_000, () => resolve(false))
  socket.once('data', (data) => resolve(data.toString('latin1').startsWith('HTTP/1.1 101')))
  socket.once('error', () => resolve(false)).once('close', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((it) => /^\d+$/.test(it))
    .map(Number)

/** The descriptors of a process; none if it has ended. */
function descriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((it) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${it}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

/** The text of a file; empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Parses an address in the kernel's format: hexadecimal, with the bytes of each group of four reversed. */
function placeOf(text: string): Listening {
  const [address = '', port = ''] = text.split(':')
  const bytes = Buffer.from(address, 'hex').swap32()
  const groups = bytes.toString('hex').match(/.{4}/g)!
  return {
    address: bytes.length === 4 ? [...bytes].join('.') : groups.join(':'),
    port: Number.parseInt(port, 16),
  }
}
