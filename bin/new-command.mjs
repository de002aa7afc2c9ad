// `tidegate new`: the beginning of an MCP server of one's own.
import { basename, resolve } from 'node:path'
import { Failure } from './api.mjs'
import { examples, makeProject } from './new/project.mjs'
import { print } from './output.mjs'

const NAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

export const newCommands = [
  {
    words: 'new',
    args: ['FOLDER'],
    about: 'Begins an MCP server of your own, from an example.',
    get more() {
      return `The folder becomes a project with one server, for Workers and for stdio, and a test. Its name is that of the
folder. docs/mcp.md has the library. The examples: ${examples().join(', ')}.`
    },
    needsKey: false,
    options: {
      from: { type: 'string', value: 'EXAMPLE', about: 'what it begins as; else calculator' },
      package: {
        type: 'string',
        value: 'SPEC',
        about: 'what npm installs as tidegate; else this version',
      },
    },
    run({ args: [folder], options }) {
      const { from = 'calculator', package: spec, json } = options
      const name = basename(resolve(folder))
      if (!NAME.test(name))
        throw new Failure('A server has a name of lower-case letters, digits and "-".', 2)
      if (!examples().includes(from)) {
        throw new Failure(`There is no such example. Name one of: ${examples().join(', ')}.`, 2)
      }
      const files = makeProject(folder, { name, from, spec })
      if (json) return print({ name, from, folder: resolve(folder), files })
      console.log(`Made ${folder}, which begins as the example ${from}. Now:

  cd ${/^[\w./-]+$/.test(folder) ? folder : `"${folder}"`}
  npm install
  npm test
  npm start                    at http://127.0.0.1:8787/mcp
  npm run stdio                for a host that starts a command
  npm run deploy               to Cloudflare`)
    },
  },
]
