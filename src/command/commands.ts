import type { Command } from './command.ts'
import { deployCommand } from './deploy/command.ts'
import { hostCommands } from './hosts/commands.ts'
import { inspectCommand } from './inspect/command.ts'
import { doctorCommand } from './inspect/doctor-command.ts'
import { applyCommands } from './manage/apply-commands.ts'
import { backupCommands } from './manage/backup-commands.ts'
import { changeCommand } from './manage/change-command.ts'
import { deploymentCommands } from './manage/deployment-commands.ts'
import { endpointCommands } from './manage/endpoint-commands.ts'
import { keyCommands } from './manage/key-commands.ts'
import { recordCommand } from './manage/record-command.ts'
import { signInCommands } from './manage/sign-in-commands.ts'
import { newCommand } from './new/command.ts'

/** Every command, in the order of --help. */
export const commands: readonly Command[] = [
  ...endpointCommands,
  ...keyCommands,
  ...signInCommands,
  ...applyCommands,
  ...backupCommands,
  recordCommand,
  changeCommand,
  ...deploymentCommands,
  doctorCommand,
  inspectCommand,
  ...hostCommands,
  deployCommand,
  newCommand,
]
