// The process that reads a SQLite file, one statement at a time. It is killed if a statement takes
// too long, because nothing inside it could stop the statement.
import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../database/sqlite/reader.ts'
import { type Question, type ReaderReply, read } from './sqlite/read.ts'

/** The memory limit for this process. If a statement uses more, the process is killed. */
const MAX_BYTES = 320 * 1024 * 1024

// While a statement runs, only another thread can notice that the parent has died: the parent's end of the
// pipe closes then, however it died. And no SQLite setting limits all the memory that a statement uses.
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

// A terminal sends these to the whole process group. The parent decides when this process ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.on('message', (question: Question) => {
  process.send!('begun' satisfies ReaderReply)
  watch.postMessage(true)
  const said = reply(question)
  watch.postMessage(false)
  process.send!(said)
})

function reply(question: Question): ReaderReply {
  try {
    return { answer: read(question) }
  } catch (thrown) {
    if (!(thrown instanceof DatabaseError)) throw thrown
    const { kind, message, code, hint, position } = thrown
    return { error: { kind, message, code, hint, position } }
  }
}
