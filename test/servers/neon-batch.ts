import type pg from 'pg'

/** A statement in a request. */
export interface Query {
  readonly query: string
  readonly params?: readonly unknown[]
}

const MAX_ANSWER = 10 * 1024 * 1024

/** Runs a batch as one transaction, with the extended protocol for each statement and every value as text. */
export async function run(client: pg.Client, queries: readonly Query[], begin: string | false) {
  let bytes = 0
  const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadableStream } })
    .connection
  const tooLarge = new Promise<never>((_, reject) => {
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= MAX_ANSWER) return
      reject(Object.assign(new Error('response is too large'), { code: '507' }))
      ;(stream as unknown as { destroy(): void }).destroy()
    })
  })
  if (begin) await client.query(begin)
  const results = []
  for (const { query: text, params = [] } of queries) {
    const values = params.map((it) =>
      it === null || typeof it === 'string' || Array.isArray(it) ? it : JSON.stringify(it),
    )
    const types = { getTypeParser: () => (value: unknown) => value }
    const statement = { text, values, types, rowMode: 'array', queryMode: 'extended' }
    const answer = await Promise.race([client.query(statement as pg.QueryArrayConfig), tooLarge])
    const { fields, rows, command, rowCount } = answer
    results.push({ fields, rows, command, rowCount, rowAsArray: true })
  }
  if (begin) await client.query('commit')
  return results
}
