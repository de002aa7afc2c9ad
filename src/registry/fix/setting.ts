import type { Fix, FixStep } from '../../database/index.ts'
import { isOnMachine, type KnownFacts } from './problem.ts'

/** Fix for a deployment setting, or for a connection string. */
export const setup = (sentence: string, ...steps: readonly FixStep[]): Fix => ({
  kind: 'setup',
  sentence: sentence.slice(0, 500),
  steps,
})

/**
 * Step that sets a variable in the deployment, for its platform.
 *
 * @param before the text before the command for a Worker
 */
export const settingStep = (about: KnownFacts, name: string, before: string): FixStep =>
  isOnMachine(about)
    ? {
        message: `Set ${name} in the environment of npx tidegate, or in the file that --vars names, and start it again. Then test again.`,
        command: `${name}=VALUE`,
        replace: ['VALUE'],
      }
    : { message: before, command: `npx wrangler secret put ${name}` }
