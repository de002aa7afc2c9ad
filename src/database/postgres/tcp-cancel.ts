import { until } from '../transport/deadline.ts'
import { isSocket } from '../transport/hosts.ts'
import type { default as Client } from './pg.mjs'
import { configOf, type Extras, type Login } from './tcp-login.ts'

/** How long to wait before cancelling again: a statement that was cancelled ends sooner. */
const AGAIN_MS = 100

/**
 * Cancels what a session does, until all that it was asked is answered or the signal aborts. Once is
 * not enough: a cancellation that arrives between two statements has no effect.
 */
export async function cancelUntil(
  answered: Promise<unknown>,
  PgClient: typeof Client,
  login: Login,
  session: Session,
  signal: AbortSignal,
  extras?: Extras,
): Promise<void> {
  let done = false
  void answered.then(() => {
    done = true
  })
  do {
    await cancel(PgClient, login, session, signal, extras)
    await until(AbortSignal.timeout(AGAIN_MS), answered).catch(() => {})
  } while (!done && !signal.aborted)
}

/** What the server calls a session, once it has let it in. */
type Session = Pick<Client, 'processID' | 'secretKey'>

/** Asks the server once, as the protocol has it: on a new connection, which the server closes. */
async function cancel(
  PgClient: typeof Client,
  login: Login,
  { processID, secretKey }: Session,
  signal: AbortSignal,
  extras?: Extras,
): Promise<void> {
  if (processID === null) return
  const stream = await extras?.dial?.(signal).catch(() => undefined)
  if (extras?.dial && !stream) return
  const { connection } = new PgClient(configOf(login, extras, stream))
  const send = () => connection.cancel(processID, secretKey)
  const closed = new Promise<void>((resolve) => {
    connection.on('error', () => resolve())
    connection.on('end', () => resolve())
  })
  connection.on('connect', () => {
    if (login.tls === 'never') send()
    else if (!login.direct) connection.requestSsl()
  })
  connection.on('sslconnect', send)
  if (isSocket(login.host)) connection.connect(`${login.host}/.s.PGSQL.${login.port}`)
  else connection.connect(login.port, login.host)
  await until(signal, closed)
    .catch(() => {})
    .finally(() => connection.stream.destroy())
}
