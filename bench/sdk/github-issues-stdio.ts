// The GitHub issues server over stdio.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { build } from './github-issues.ts'

const { GITHUB_URL = 'https://api.github.com', GITHUB_TOKEN = '' } = process.env
serveStdio(() => build({ GITHUB_URL, GITHUB_TOKEN }))
