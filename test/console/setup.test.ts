import { afterAll, describe, expect, test } from 'vitest'
import { onNode } from '../support/node-worker.ts'
import { askApi, OPERATOR_KEY, operated, SECRET } from '../support/registry-api.ts'
import { Visitor } from '../support/visitor.ts'
import { type RunningWorker, startWorker } from '../support/worker.ts'

const PASSPHRASE = 'a heron waits where slow water turns'

const workers: RunningWorker[] = []
afterAll(() => Promise.all(workers.map((it) => it.close())))

async function started(secrets?: Record<string, string>) {
  const worker = await startWorker(secrets)
  workers.push(worker)
  const browser = new Visitor(worker.url, { accept: 'text/html,*/*;q=0.8' })
  return {
    worker,
    open: (path: string) => browser.open(path),
    // biome-ignore lint/suspicious/noExplicitAny: tests look at responses of every shape
    state: async (): Promise<any> => (await fetch(`${worker.url}/setup?format=json`)).json(),
  }
}

describe('a deployment with nothing set', () => {
  test('says what to set, deployed and locally, and links there from its public page', async () => {
    const { worker, open, state } = await started()
    const { status, text, words, headers } = await open('/setup')
    expect(status).toBe(200)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
    for (const name of ['TIDEGATE_KEY', 'TIDEGATE_SECRET', 'TIDEGATE_PASSPHRASE', 'DATABASE_URL']) {
      expect(words).toContain(onNode ? `${name}=` : `npx wrangler secret put ${name}`)
    }
    expect(words).toContain('Four steps left')
    expect(words).toContain(`answers at ${worker.url}`)
    expect(words).toContain(`npx tidegate endpoint add NAME --to ${worker.url}`)
    // The option that matches this deployment is selected.
    expect(text).toContain(`id="key-${onNode ? 0 : 1}" checked`)
    expect(await state()).toEqual({
      complete: false,
      steps: { key: 'missing', secret: 'missing', signIn: 'missing', database: 'missing' },
    })
    for (const path of ['/', '/mcp']) {
      expect((await open(path)).text).toContain('<a href="/setup">set it up</a>')
    }
    expect((await open('/mcp/demo')).text).not.toContain('/setup')
  })
})

describe('a deployment with a key', () => {
  test('ticks off completed steps, even when a database is added to the registry', async () => {
    const { worker, open, state } = await started(operated)
    expect((await state()).steps).toEqual({
      key: 'set',
      secret: 'set',
      signIn: 'missing',
      database: 'missing',
    })
    expect((await open('/setup')).words).toContain('Two steps left')
    const home = await open('/')
    expect(home.text).not.toContain('set it up')
    expect(home.text).toContain('<a href="/setup">See what is missing</a>')
    const shop = {
      name: 'shop',
      title: 'Shop',
      databases: { shop: { url: 'postgres://a:b@127.0.0.1/x' } },
    }
    expect((await askApi(worker, 'POST', '/api/endpoints', shop)).status).toBe(201)
    // Another isolate would read it within ten seconds.
    await expect.poll(async () => (await state()).steps.database, { timeout: 30_000 }).toBe('set')
    expect((await open('/setup')).words).toContain('One step left')
  })
})

describe('a deployment where everything is set', () => {
  test('says so, and reveals nothing else', async () => {
    const all = { ...operated, TIDEGATE_PASSPHRASE: PASSPHRASE, DATABASE_URL: 'demo:' }
    const { open, state } = await started(all)
    expect(await state()).toEqual({ complete: true })
    const { status, text, words } = await open('/setup')
    expect(status).toBe(200)
    expect(words).toContain('Everything is set')
    expect(text).not.toMatch(/TIDEGATE_|DATABASE|passphrase/i)
    expect((await open('/')).text).not.toContain('/setup')
  })
})

describe('a deployment whose settings cannot be used', () => {
  test('names these settings, but shows neither their values nor their faults', async () => {
    const weak = {
      TIDEGATE_KEY: OPERATOR_KEY,
      TIDEGATE_SECRET: 'aaaa1234',
      TIDEGATE_PASSPHRASE: 'hunter2',
    }
    const { open, state } = await started({ ...weak, ENDPOINTS: '[{"name":' })
    const { status, text, words } = await open('/setup')
    expect(status).toBe(200)
    expect(words).toContain('ENDPOINTS')
    expect(words.split('Set, but not usable')).toHaveLength(4)
    expect(words).toContain('Open /doctor with the admin key')
    expect(words).not.toContain('fewer than')
    for (const value of Object.values(weak)) expect(text).not.toContain(value)
    expect((await state()).steps).toEqual({
      key: 'set',
      secret: 'faulty',
      signIn: 'faulty',
      database: 'faulty',
    })
    expect((await open('/')).status).toBe(200)
  })

  test('does not include a complete provider', async () => {
    const provider = { SIGN_IN_ISSUER: 'https://id.example', SIGN_IN_CLIENT_ID: 'tidegate' }
    const { state } = await started({ TIDEGATE_SECRET: SECRET, ...provider })
    expect((await state()).steps).toMatchObject({ key: 'missing', secret: 'set', signIn: 'set' })
  })
})
