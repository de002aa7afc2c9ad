import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlainWorker, startPlainWorker } from '../support/plain-worker.ts'
import { SECRET } from '../support/registry-api.ts'
import { HELLO, registeredApp, send } from '../support/sign-in.ts'

const PASSPHRASE = 'tulip harbor seven lanterns'

let worker: PlainWorker
beforeAll(async () => {
  const databases = { demo: { url: 'demo:' } }
  worker = await startPlainWorker({
    TIDEGATE_KEY: 'key-of-the-operator',
    TIDEGATE_SECRET: SECRET,
    TIDEGATE_PASSPHRASE: PASSPHRASE,
    ENDPOINTS: JSON.stringify([{ name: 'shop', title: 'Shop', databases }]),
  })
})
afterAll(() => worker.stop())

// A busy machine needs minutes, which is not a reason to fail.
const PATIENCE_MS = 400_000

test(
  'the first request with a new token succeeds a thousand times',
  async () => {
    const origin = `http://127.0.0.1:${worker.port}`
    const app = await registeredApp(origin, PASSPHRASE)
    await app.signIn()
    const statuses: number[] = []
    for (let i = 0; i < 125; i++) {
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const { access } = await app.signIn()
          const answer = await send(`${origin}/mcp`, access, 'initialize', HELLO)
          await answer.text()
          statuses.push(answer.status)
        }),
      )
    }
    expect(statuses).toEqual(Array(1_000).fill(200))
  },
  PATIENCE_MS,
)
