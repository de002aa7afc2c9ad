// Every command, in the order of --help.
import { applyCommands } from './apply-commands.mjs'
import { backupCommands } from './backup-commands.mjs'
import { changeCommands } from './change-commands.mjs'
import { deployCommands } from './deploy-command.mjs'
import { deploymentCommands } from './deployment-commands.mjs'
import { doctorCommands } from './doctor-command.mjs'
import { endpointCommands } from './endpoint-commands.mjs'
import { hostCommands } from './host-commands.mjs'
import { inspectCommands } from './inspect-command.mjs'
import { keyCommands } from './key-commands.mjs'
import { newCommands } from './new-command.mjs'
import { recordCommands } from './record-commands.mjs'
import { signInCommands } from './sign-in-commands.mjs'

/**
 * Each has its `words`, the `args` that follow them, what it is `about`, and how to `run` it. A run may
 * return an exit code. One that sets `needsKey` to false asks no deployment.
 */
export const commands = [
  ...endpointCommands,
  ...keyCommands,
  ...signInCommands,
  ...applyCommands,
  ...backupCommands,
  ...recordCommands,
  ...changeCommands,
  ...deploymentCommands,
  ...doctorCommands,
  ...inspectCommands,
  ...hostCommands,
  ...deployCommands,
  ...newCommands,
]
