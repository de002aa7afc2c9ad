import { connect, type Socket } from 'node:net'

/**
 * Passes a connection on as a pooler does that knows nothing of sessions: what the client says in its first turn
 * after the login goes to one session, and all that comes later to another. It has to log in without a password.
 */
export function passOnSwapped(client: Socket, port: number): void {
  const sessions = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const [first, second] = sessions as [Socket, Socket]
  const end = () => {
    for (const it of [client, first, second]) it.destroy()
  }
  for (const it of [client, first, second]) it.on('error', end).on('close', end)

  /** How often the client has spoken since it heard something: its login, its first turn, all that is later. */
  let turns = 0
  let heard = true
  client.on('data', (chunk) => {
    if (heard) turns++
    heard = false
    // The login goes to both.
    const to = turns === 1 ? sessions : [turns === 2 ? first : second]
    for (const it of to) it.write(chunk)
  })
  for (const it of sessions) {
    it.on('data', (chunk) => {
      if (it !== (turns > 2 ? second : first)) return
      heard = true
      client.write(chunk)
    })
  }
}
