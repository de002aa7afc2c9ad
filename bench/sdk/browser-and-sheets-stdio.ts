// One of the two servers over stdio: the variable SERVER selects it.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { builders } from './browser-and-sheets.ts'

const { env } = process
const { browser, sheets } = builders(env as unknown as Parameters<typeof builders>[0])
serveStdio(env.SERVER === 'sheets' ? sheets : browser)
