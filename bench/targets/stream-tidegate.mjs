// A tool that reports its progress many times.
import * as z from 'zod/mini'
import { serve, tool } from '../../src/mcp/index.ts'

const report = tool({
  name: 'report',
  description: 'Reports progress',
  input: z.object({ events: z.int() }),
  run({ events }, context) {
    for (let i = 1; i <= events; i++) context.progress(i, events, `step ${i}`)
    return 'done'
  },
})

const server = { name: 'bench', version: '1.0.0', tools: [report] }

export default { fetch: (request) => serve(request, { server }) }
