// The notes over stdio, from the vault in Obsidian, because Node has no Durable Objects.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { VaultSettings } from '../../examples/notes/notebook.ts'
import { build } from './notes.ts'

serveStdio((context) => build({ ...process.env } as unknown as VaultSettings, context))
