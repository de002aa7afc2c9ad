import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NodeWorker, startNodeWorker } from '../support/node-worker.ts'

/** Words that apply only to a Worker, or to a clone of the repository. */
const ELSEWHERE = /wrangler|npm start|npm run|\.dev\.vars|a Worker|the Worker|Hyperdrive/

const operated = {
  TIDEGATE_KEY: 'a-key-of-the-operator',
  TIDEGATE_SECRET: 'kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu',
}

let bare: NodeWorker
let keyed: NodeWorker
beforeAll(async () => {
  bare = await startNodeWorker({})
  keyed = await startNodeWorker({ ...operated, SHOP_URL: 'demo:' })
})
afterAll(async () => {
  await bare.close()
  await keyed.close()
})

const textOf = (html: string) =>
  html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

async function page(it: NodeWorker, path: string): Promise<string> {
  const headers = { accept: 'text/html' }
  return textOf(await (await fetch(`${it.url}${path}`, { headers })).text())
}

describe('a page on Node', () => {
  test.each([
    ['/setup', () => bare, ['TIDEGATE_KEY', 'TIDEGATE_SECRET', 'TIDEGATE_PASSPHRASE']],
    ['/signin', () => bare, ['TIDEGATE_KEY', 'TIDEGATE_SECRET', 'TIDEGATE_PASSPHRASE']],
    ['/signin', () => keyed, ['TIDEGATE_PASSPHRASE']],
    ['/signin/operator', () => keyed, ['TIDEGATE_KEY']],
  ] as const)('explains how to set a variable on Node: %s', async (path, worker, names) => {
    const text = await page(worker(), path)
    for (const name of names) expect(text).toContain(`${name}=…`)
    expect(text).toContain('--vars')
    expect(text).not.toMatch(ELSEWHERE)
  })
})

describe('the advice to an operator on Node', () => {
  async function fixOf(url: string) {
    const headers = {
      authorization: `Bearer ${operated.TIDEGATE_KEY}`,
      'content-type': 'application/json',
    }
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(keyed.url + path, {
        method,
        headers,
        body: JSON.stringify(body) ?? null,
      })
      const text = await response.text()
      return text === '' ? undefined : JSON.parse(text)
    }
    await ask('DELETE', '/api/endpoints/shop')
    const databases = { main: { url } }
    await ask('POST', '/api/endpoints', { name: 'shop', title: 'Shop', active: false, databases })
    const { databases: tested } = await ask('POST', '/api/endpoints/shop/test')
    return tested[0].fix
  }

  test.each([
    ['hyperdrive:SHOP', 'connection string of the database itself'],
    ['d1:SHOP', 'connection string of the database itself'],
  ])('applies to Node for a database binding of a Worker: %s', async (url, says) => {
    const told = JSON.stringify(await fixOf(url))
    expect(told).toContain(says)
    expect(told.replace('Hyperdrive is bound to Workers', '')).not.toMatch(ELSEWHERE)
  })
})
