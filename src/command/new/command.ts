// `tidegate new`: creates your own MCP server.
import { basename, resolve } from 'node:path'
import { command } from '../command.ts'
import { Mistake } from '../terminal/failure.ts'
import { examples, makeProject } from './project.ts'

const NAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

export const newCommand = command({
  words: 'new',
  args: ['FOLDER'],
  about: 'Creates your own MCP server from an example.',
  get more() {
    return `The folder becomes a project with one server, for Workers and for stdio, and a test. The server is named after
the folder. docs/mcp.md describes the library. The examples: ${examples().join(', ')}.`
  },
  options: {
    from: {
      type: 'string',
      value: 'EXAMPLE',
      about: 'the example to start from; default: calculator',
    },
    package: {
      type: 'string',
      value: 'SPEC',
      about: 'what npm installs as tidegate; default: this version',
    },
  },
  runHere({ args: [folder], options }) {
    const { from = 'calculator', package: spec, json } = options
    const name = basename(resolve(folder))
    if (!NAME.test(name))
      throw new Mistake('A server name can have only lowercase letters, digits and "-".')
    if (!examples().includes(from)) {
      throw new Mistake(`There is no such example. Name one of: ${examples().join(', ')}.`)
    }
    const files = makeProject(folder, { name, from, spec })
    if (json) {
      console.log(JSON.stringify({ name, from, folder: resolve(folder), files }, null, 2))
      return
    }
    console.log(`Created ${folder} from the example ${from}. Now:

  cd ${/^[\w./-]+$/.test(folder) ? folder : `"${folder}"`}
  npm install
  npm test
  npm start                    at http://127.0.0.1:8787/mcp
  npm run stdio                for a host that starts a command
  npm run deploy               to Cloudflare`)
  },
})
