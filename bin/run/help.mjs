// The texts of --help about serving.
import { row, rows } from '../help.mjs'
import { options } from './arguments.mjs'

const abouts = {
  stdio: `Serves a database to AI, read-only, over stdio: an MCP host starts this command and talks to it.

  npx tidegate postgres://user@host/database    a database, by its connection string
  npx tidegate shop.sqlite                      a SQLite file
  npx tidegate --config endpoints.json          several databases
  npx tidegate --demo                           a made-up shop
  npx tidegate                                  the one in the variable DATABASE_URL
  npx tidegate serve …                          any of these over HTTP
  npx tidegate help                             the commands that look after a deployment

Others on this machine can see the arguments of a command. A password is safer in the variable
DATABASE_URL, or in ~/.pgpass for PostgreSQL.`,
  http: `Serves a database to AI, read-only, over HTTP: on this machine, or on a server.

  npx tidegate serve [CONNECTION-STRING | FILE] [options]

Without a database it serves the one in the variable DATABASE_URL, those in ENDPOINTS, or the demo.
Callers show the key in the variable TIDEGATE_KEY. The Console is at /console.`,
}

/** How to serve over `stdio` or `http`. */
export const helpOf = (way) => `${abouts[way]}\n\n${rows(Object.entries(options[way]).map(row))}`
