import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { durableChanges, type Tool, tool } from '../../src/mcp/index.ts'

/** Carries news of what changed to the clients that listen, in whatever isolate. */
export const changes = durableChanges(() => (env as { SESSIONS: DurableObjectNamespace }).SESSIONS)

/** Tools that say something changed, whether or not it did. */
export const changeTools: readonly Tool[] = [
  tool({
    name: 'test_trigger_tool_change',
    description: 'Tells listening clients that the list of tools changed.',
    input: z.object({}),
    async run() {
      await changes.publish({ kind: 'tools' })
      return 'Told those who listen.'
    },
  }),
  tool({
    name: 'test_trigger_prompt_change',
    description: 'Tells listening clients that the list of prompts changed.',
    input: z.object({}),
    async run() {
      await changes.publish({ kind: 'prompts' })
      return 'Told those who listen.'
    },
  }),
]
