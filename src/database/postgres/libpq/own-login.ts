import type { Machine, Stream } from '../../machine.ts'
import { notDialed, notReached } from '../../transport/connection-errors.ts'
import { isSocket } from '../../transport/hosts.ts'
import type { Extras, PostgresLogin } from './login.ts'
import { pathOf, placesOf } from './own-places.ts'
import { isUsualPlace } from './own-settings.ts'
import { tlsFailure, tlsOptions } from './own-tls.ts'
import { passwordIn } from './password-file.ts'

/** Adds settings from the machine's files to a login. The files are read again for each connection. */
export const ownLogin = (machine: Machine) => ({
  /** Adds the password from a file to a login that has none. */
  async withPassword(login: PostgresLogin): Promise<PostgresLogin> {
    if (login.password || login.token) return login
    return { ...login, password: (await passwordOf(login, machine)) ?? '' }
  },
  async extrasOf(login: PostgresLogin): Promise<Extras> {
    const { dial } = machine
    const { host, own = {}, port, tls } = login
    return {
      tls: tls === 'never' ? {} : await tlsOptions(own, machine),
      isBound: own.channel_binding === 'require',
      explain: (code) => tlsFailure(code) ?? notReached(code),
      dial:
        dial && !isSocket(host)
          ? async (signal) => {
              const stream = await dial(host, port, signal).catch((error) => {
                throw notDialed(error)
              })
              return asSocket(stream)
            }
          : undefined,
    }
  },
})

/** Looks up a password in a file that only its owner can read. As in libpq, other files are ignored. */
async function passwordOf(login: PostgresLogin, machine: Machine): Promise<string | undefined> {
  const written = login.own?.passfile
  const path = written ? pathOf(written, machine) : placesOf(machine).passwords
  const state = await machine.look(path)
  if (!state) return undefined
  if ((state.mode ?? 0) & 0o077) {
    warn(
      `The password file ${path} is ignored because other users can read it. Run chmod 600 on it.`,
    )
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

/** Makes a connected stream look like the unconnected socket that `pg` expects. */
const asSocket = (stream: Stream): object =>
  Object.assign(stream, {
    setNoDelay() {},
    setKeepAlive() {},
    connect() {
      const { emit } = stream as unknown as { emit(event: string): void }
      queueMicrotask(() => emit.call(stream, 'connect'))
    },
  })
