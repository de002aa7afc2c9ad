import type { Connection as Client, Command } from './mysql2.mjs'

/**
 * Makes a client send each command at once, without waiting for earlier responses. The server processes
 * the commands one after the other. Not every MySQL proxy supports this.
 */
export function pipeline(client: Client): void {
  const add = client.addCommand.bind(client)
  client.addCommand = (command) => {
    if (!client._command) return add(command)
    const { sequenceId } = client
    // This sends it. Its packet numbers start again at zero, then continue for the command in front.
    const isDone = command.execute(undefined, client)
    client.sequenceId = sequenceId
    if (!isDone) {
      command.execute = () => {
        // It is now this command's turn, but its first packet has already been sent. The prototype's method continues.
        delete (command as Partial<Command>).execute
        client.sequenceId = 1
        return false
      }
      client._commands.push(command)
    }
    return command
  }
}
