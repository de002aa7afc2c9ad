import type { Connection as Client, Command } from './mysql2.mjs'

/**
 * Has a client send each command at once, and not only when those before it are answered. A server takes
 * them one after the other. Not all that pass on what MySQL is sent do.
 */
export function pipeline(client: Client): void {
  const add = client.addCommand.bind(client)
  client.addCommand = (command) => {
    if (!client._command) return add(command)
    const { sequenceId } = client
    // This sends it. The numbers of its packets begin anew, and then go on for the command in front.
    const isDone = command.execute(undefined, client)
    client.sequenceId = sequenceId
    if (!isDone) {
      command.execute = () => {
        // Its turn has come: what the client would send now is sent. The prototype's goes on from here.
        delete (command as Partial<Command>).execute
        client.sequenceId = 1
        return false
      }
      client._commands.push(command)
    }
    return command
  }
}
