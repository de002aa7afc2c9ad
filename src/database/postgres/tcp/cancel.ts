import { until } from '../../transport/deadline.ts'
import { isSocket } from '../../transport/hosts.ts'
import { configOf, type Extras, type PostgresLogin } from '../libpq/login.ts'
import type { default as Client } from '../pg.mjs'

/** Time to wait before canceling again. A canceled statement ends sooner. */
const AGAIN_MS = 100

/**
 * Cancels a session's statements until all of them have ended or the signal aborts. One request is
 * not enough, because a cancellation that arrives between two statements has no effect.
 */
export async function cancelUntil(
  answered: Promise<unknown>,
  PgClient: typeof Client,
  login: PostgresLogin,
  session: BackendKey,
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

/** The server's identifiers for a session, known after login. */
type BackendKey = Pick<Client, 'processID' | 'secretKey'>

/** Sends one cancel request on a new connection, which the server closes, as the protocol requires. */
async function cancel(
  PgClient: typeof Client,
  login: PostgresLogin,
  { processID, secretKey }: BackendKey,
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
