import { type Changes, type Tool, tool } from 'tidegate/mcp'
import * as z from 'zod'

/** Tools that announce a change, without making one. */
export const changeTools = (changes: Changes): readonly Tool[] => [
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
