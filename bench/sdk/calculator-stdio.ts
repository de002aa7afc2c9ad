// The calculator over stdio: a program of three lines, as on the official SDK's stdio page.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { build } from './calculator.ts'

serveStdio(build)
