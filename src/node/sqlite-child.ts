// The process that reads a SQLite file, one statement at a time. It is killed with a statement that takes
// too long: nothing in it could stop one.
import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../database/sqlite/reader.ts'
import type { Question, Reply } from './sqlite/question.ts'
import { read } from './sqlite/read.ts'

/** What this process may take of memory: a statement that takes more is ended with it. */
const MAX_BYTES = 320 * 1024 * 1024

// While a statement runs, nothing but another thread can notice that the parent has died: its end of the
// pipe closes then, however it died. And no setting of SQLite bounds all that a statement takes.
const WATCH = `
  const { read } = require('node:fs')
  const { parentPort } = require('node:worker_threads')
  const end = () => process.kill(process.pid, 'SIGKILL')
  const wait = () =>
    read(0, Buffer.alloc(1), 0, 1, null, (error, bytes) => {
      if (error?.code === 'EAGAIN') setTimeout(wait, 100)
      else if (bytes > 0) wait()
      else end()
    })
  wait()
  let timer
  parentPort.on('message', (runs) => {
    clearInterval(timer)
    if (runs) timer = setInterval(() => process.memoryUsage.rss() > ${MAX_BYTES} && end(), 10)
  })
`
const watch = new Worker(WATCH, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } })

// A terminal sends these to the whole group. The parent decides when this ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.on('message', (question: Question) => {
  process.send!('begun' satisfies Reply)
  watch.postMessage(true)
  const said = reply(question)
  watch.postMessage(false)
  process.send!(said)
})

function reply(question: Question): Reply {
  try {
    return { answer: read(question) }
  } catch (thrown) {
    if (!(thrown instanceof DatabaseError)) throw thrown
    const { kind, message, code, hint, position } = thrown
    return { error: { kind, message, code, hint, position } }
  }
}
