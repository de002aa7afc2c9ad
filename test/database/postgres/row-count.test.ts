import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startTcp } from '../../servers/tcp.ts'
import { failure } from '../../support/failure.ts'
import { open } from '../../support/open.ts'
import { describePostgres } from '../../support/postgres.ts'

const limits = { maxRows: 10, maxBytes: 100_000, timeoutMs: 10_000 }
const io = { fetch, bindings: {} }

await describePostgres(
  'the rows of a PostgreSQL answer',
  (reader) => `
    create table people (name text);
    insert into people values ('ada'), ('lost'), ('bob');
    grant select on people to ${reader}`,
  (postgres) => {
    /** A proxy that drops rows with this text from the answers of the server. */
    const losing = (text: string) =>
      startTcp((socket) => {
        const server = connect(postgres.config.port!, '127.0.0.1')
        let held = Buffer.alloc(0)
        socket.on('data', (bytes) => server.write(bytes))
        socket.on('close', () => server.destroy())
        server.on('error', () => socket.destroy())
        server.on('close', () => socket.destroy())
        server.on('data', (bytes) => {
          held = Buffer.concat([held, bytes])
          while (held.length >= 5 && held.length >= 1 + held.readInt32BE(1)) {
            const message = held.subarray(0, 1 + held.readInt32BE(1))
            held = held.subarray(message.length)
            const isLost = message[0] === 'D'.charCodeAt(0) && message.includes(text)
            if (!isLost) socket.write(message)
          }
        })
      })
    const ask = async (text: string, sql: string) => {
      const proxy = await losing(text)
      const database = open(postgres.tcp(postgres.reader, proxy.port), io)
      return database.query({ sql }, limits).finally(() => proxy.close())
    }

    test('are complete if none is lost', async () => {
      const { rows } = await ask('nobody', 'select name from people order by name')
      expect(rows).toEqual([['ada'], ['bob'], ['lost']])
    })

    test.each(['select name from people', "select name from people where name = 'lost'"])(
      'cause an error if one is lost: %s',
      async (sql) => {
        expect(await failure(ask('lost', sql))).toMatchObject({
          kind: 'network',
          message: "The database's response broke off in the middle. Try again later.",
        })
      },
    )
  },
)
