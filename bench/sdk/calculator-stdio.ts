// The calculator over stdio: a program of three lines, as the page of the official SDK on stdio has it.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { build } from './calculator.ts'

serveStdio(build)
