import { DatabaseError, unreachable } from '../error.ts'
import type { Machine, Stream } from '../machine.ts'
import { isSocket } from '../transport/hosts.ts'
import { notReached } from '../transport/not-reached.ts'
import { pathOf, placesOf } from './own-places.ts'
import { isUsualPlace } from './own-settings.ts'
import { tlsFailure, tlsOptions } from './own-tls.ts'
import { passwordIn } from './password-file.ts'
import { authorities } from './pg.mjs'
import type { Extras, Login } from './tcp-login.ts'

/** What the files of a machine add to a login. They are read anew for each connection. */
export const ownLogin = (machine: Machine) => ({
  /** A login with the password of a file, where it has none. */
  async withPassword(login: Login): Promise<Login> {
    if (login.password || login.token) return login
    return { ...login, password: (await passwordOf(login, machine)) ?? '' }
  },
  async extrasOf(login: Login): Promise<Extras> {
    const { dial } = machine
    const { host, own = {}, port, tls } = login
    return {
      tls: tls === 'never' ? {} : await tlsOptions(own, machine, authorities),
      isBound: own.channel_binding === 'require',
      explain: (code) => tlsFailure(code) ?? notReached(code),
      dial:
        dial && !isSocket(host)
          ? async (signal) => asSocket(await dial(host, port, signal).catch(notDialled))
          : undefined,
    }
  },
})

/** Looks a password up in a file that nobody else can read. Another file is left alone, as libpq does. */
async function passwordOf(login: Login, machine: Machine): Promise<string | undefined> {
  const written = login.own?.passfile
  const path = written ? pathOf(written, machine) : placesOf(machine).passwords
  const state = await machine.look(path)
  if (!state) return undefined
  if ((state.mode ?? 0) & 0o077) {
    warn(`The password file ${path} is not read: others can read it. It must be: chmod 600.`)
    return undefined
  }
  const host = isSocket(login.host) && isUsualPlace(login.host) ? 'localhost' : login.host
  return passwordIn(await machine.readFile(path), { ...login, host })
}

const warned = new Set<string>()

function warn(sentence: string): void {
  if (warned.has(sentence)) return
  warned.add(sentence)
  console.warn(sentence)
}

/** A stream that is connected already, as `pg` handles a socket that is not. */
const asSocket = (stream: Stream): object =>
  Object.assign(stream, {
    setNoDelay() {},
    setKeepAlive() {},
    connect() {
      const { emit } = stream as unknown as { emit(event: string): void }
      queueMicrotask(() => emit.call(stream, 'connect'))
    },
  })

function notDialled(error: unknown): never {
  throw error instanceof DatabaseError ? error : unreachable()
}
