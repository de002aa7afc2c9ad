// The notes over stdio, of the vault in Obsidian: Node has no Durable Object.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { VaultSettings } from '../../examples/notes/notebook.ts'
import { build } from './notes.ts'

serveStdio((context) => build({ ...process.env } as unknown as VaultSettings, context))
