import pg from 'pg'
import { nothing, type Unlayered } from './place.ts'
import { WithoutRows } from './without-rows.ts'

/** A client that keeps its session, and sends texts unchanged in the protocol that runs all statements. */
export function rawPostgres(config: pg.ClientConfig): Unlayered & { end(): Promise<void> } {
  let client: pg.Client | undefined
  const end = async () => {
    const old = client
    client = undefined
    await old?.end().catch(() => {})
  }
  return {
    end,
    async query({ sql }) {
      if (!client) {
        client = new pg.Client({
          statement_timeout: 1_000,
          ...config,
          stream: () => new WithoutRows(),
        })
        client.on('error', () => void end())
        await client.connect()
      }
      await client.query(sql)
      return nothing
    },
  }
}
