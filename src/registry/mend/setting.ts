import type { MendStep } from './mend.ts'
import { type About, isOnMachine } from './problem.ts'

/**
 * How an operator sets a variable of the deployment, where that runs.
 *
 * @param before what a Worker reads before its command
 */
export const settingStep = (about: About, name: string, before: string): MendStep =>
  isOnMachine(about)
    ? {
        say: `Set ${name} in the environment of npx tidegate, or as a line of the file that --vars names, and start it again. Then test again.`,
        command: `${name}=VALUE`,
        replace: ['VALUE'],
      }
    : { say: before, command: `npx wrangler secret put ${name}` }
