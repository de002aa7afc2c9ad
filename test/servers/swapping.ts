import { connect, type Socket } from 'node:net'

/**
 * Forwards a connection like a pooler that ignores sessions: the client's first turn after the login goes to one
 * session, and everything later to another. It has to log in without a password.
 */
export function passOnSwapped(client: Socket, port: number): void {
  const sessions = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  const [first, second] = sessions as [Socket, Socket]
  const end = () => {
    for (const it of [client, first, second]) it.destroy()
  }
  for (const it of [client, first, second]) it.on('error', end).on('close', end)

  /** The number of turns of the client: its login, its first turn, and everything later. */
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
