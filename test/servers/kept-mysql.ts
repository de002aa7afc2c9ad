// A process that queries a database on Node and prints the rows. It closes nothing: it ends when nothing keeps
// it alive, or when it is killed.
import { locate } from '../../src/database/open.ts'
import { testMachine } from '../support/machine.ts'

const [url = '', sql = '', timeoutMs = '20000'] = process.argv.slice(2)
const io = { fetch, bindings: {}, machine: testMachine() }
const database = await locate(url, io).open()
const limits = { maxRows: 10, maxBytes: 10_000, timeoutMs: Number(timeoutMs) }
console.log(JSON.stringify((await database.query({ sql }, limits)).rows))
