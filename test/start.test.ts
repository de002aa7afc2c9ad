import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { freePort } from './support/port.ts'

/** The files in a folder that contain a text. */
const filesWith = (text: string, folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name))
    .filter((it) => readFileSync(it).includes(text))

const stops: (() => Promise<void>)[] = []
const folder = mkdtempSync(join(tmpdir(), 'start-'))
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs `npm start`, and waits for the end of its own output. */
async function started(vars: Record<string, string>, ...options: string[]) {
  const port = await freePort()
  const state = join(folder, `${port}.sqlite`)
  const args = ['scripts/start.mjs', '--port', String(port), '--state', state, ...options]
  const secrets = {
    TIDEGATE_KEY: 'tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu',
    TIDEGATE_SECRET: 'a secret of this test, long enough',
  }
  const env = { ...process.env, ...secrets, ...vars }
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  stops.push(() => {
    child.kill('SIGTERM')
    return over
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  await expect
    .poll(() => text, { timeout: 60_000, interval: 100 })
    .toMatch(/Try it:|then start again|runs here already/)
  return { url: `http://127.0.0.1:${port}`, state, text: () => text }
}

describe('npm start', () => {
  test('prints the commands without a key if there is a sign-in', async () => {
    const TIDEGATE_PASSPHRASE = 'seven otters guard the quiet harbor'
    const databases = { demo: { url: 'demo:' } }
    const ENDPOINTS = JSON.stringify([{ name: 'shop', title: 'Shop', databases }])
    const { url, text } = await started({ TIDEGATE_PASSPHRASE, ENDPOINTS })
    expect(text()).toContain('Sign-in        on: add the URL alone')
    expect(text()).toContain(`claude mcp add --transport http --scope user tidegate ${url}/mcp\n`)
    expect(text()).not.toContain(TIDEGATE_PASSPHRASE)
  })

  test('says why nobody can sign in, even if the demo is open to all', async () => {
    const TIDEGATE_PASSPHRASE = 'correct horse battery staple'
    const { text } = await started({ TIDEGATE_PASSPHRASE })
    await expect.poll(text, { timeout: 20_000 }).toContain('To fix:\n  TIDEGATE_PASSPHRASE is')
    expect(text()).toContain('a line TIDEGATE_PASSPHRASE=… in .dev.vars')
    expect(text()).not.toContain(TIDEGATE_PASSPHRASE)
  }, 120_000)

  test('prints each host’s command with the URL and the key, and then nothing more', async () => {
    const DATABASE_URL = 'postgres://app:hunter2@127.0.0.1:9/shop'
    const { url, text } = await started({ DATABASE_URL })
    const mcp = `${url}/mcp`
    for (const line of [
      `claude mcp add --transport http --scope user tidegate ${mcp} --header "Authorization: Bearer tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu"`,
      `export TIDEGATE_KEY="tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu"; codex mcp add tidegate --url ${mcp} --bearer-token-env-var TIDEGATE_KEY`,
      `gemini mcp add -s user -t http tidegate ${mcp} -H "Authorization: Bearer tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu"`,
      `{"mcpServers":{"tidegate":{"url":"${mcp}","headers":{"Authorization":"Bearer tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu"}}}}`,
      `{"servers":{"tidegate":{"type":"http","url":"${mcp}","headers":{"Authorization":"Bearer tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu"}}}}`,
    ]) {
      expect(text()).toContain(`    ${line}\n`)
    }
    expect(text()).toContain(
      `Add a database:  in the Console, or npx tidegate endpoint add NAME --to ${url}\n`,
    )
    await expect
      .poll(text, { timeout: 20_000 })
      .toContain('main/main: The database cannot be reached')
    expect(text()).not.toContain('hunter2')
    const before = text()
    for (const path of ['/health', '/nowhere']) await (await fetch(url + path)).text()
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(text()).toBe(before)
  }, 120_000)

  test('reports an invalid configuration, and logs requests without the key in their URL', async () => {
    const { url, text } = await started(
      { ENDPOINTS: '[{"name":"shop","title":"Shop",}]' },
      '--verbose',
    )
    expect(text()).toContain('ENDPOINTS is not JSON. At line 1, column 31 there is an extra comma.')
    expect(text()).not.toContain('is running')
    expect(text()).not.toContain('claude mcp add')
    await (await fetch(`${url}/health`)).text()
    await expect.poll(text, { timeout: 10_000 }).toContain('GET /health 200')
    const secret = `AbCdEfGhIjKl_${Date.now()}`
    for (const path of [`/k/tg_${secret}/mcp/shop`, `/%6B/tg%5F${secret}/mcp`, `/x/tg_${secret}`]) {
      await (await fetch(url + path)).text()
    }
    await (await fetch(`${url}/sse/last`)).text()
    await expect.poll(text, { timeout: 10_000 }).toContain('GET /sse/last ')
    expect(text()).toContain('GET /k/…/mcp/shop 404')
    expect(text()).not.toContain(secret)
    // The secrets are not on disk either.
    expect((await fetch(`${url}/cdn-cgi/local/explorer/api`)).status).toBe(404)
    expect(filesWith(secret, folder)).toEqual([])
  }, 120_000)

  test('refuses to start while another process serves the same state, and names it', async () => {
    const { url, state } = await started({})
    const other = await started({}, '--state', state)
    expect(other.text()).toMatch(/^npm start runs here already: process \d+ serves /m)
    expect(other.text()).toContain(` serves ${url}. Stop it with \`kill `)
    expect(other.text()).toContain(' --state .tidegate/other.sqlite\n')
    expect(other.text()).not.toContain('Tidegate is running')
    const [, pid] = /process (\d+)/.exec(other.text()) ?? []
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('scripts/start.mjs')
    } else expect(Number(pid)).toBeGreaterThan(1)
  }, 120_000)

  test('keeps added endpoints for the next start', async () => {
    const { url, state, text } = await started({})
    const headers = {
      authorization: 'Bearer tg_kQ7x2vW9pLr4TmZ8sBd1NcYf6HgJ3aEu',
      'content-type': 'application/json',
    }
    const databases = { shop: { url: 'demo:' } }
    const body = JSON.stringify({ name: 'shop', title: 'Shop', databases })
    const made = await fetch(`${url}/api/endpoints`, { method: 'POST', headers, body })
    expect(made.status).toBe(201)
    for (const stop of stops.splice(0)) await stop()
    expect(text()).not.toContain('Error')
    const again = await started({}, '--state', state)
    const found = await fetch(`${again.url}/api/endpoints/shop`, { headers })
    expect(await found.json()).toMatchObject({ name: 'shop', title: 'Shop' })
  }, 120_000)

  test('says where to set a missing secret on this machine', async () => {
    const databases = { shop: { url: 'secret:SHOP_URL_OF_NOBODY' } }
    const endpoint = { name: 'shop', title: 'Shop', databases }
    const { text } = await started({ ENDPOINTS: JSON.stringify([endpoint]) })
    expect(text()).toContain('For npm start: a line SHOP_URL_OF_NOBODY=… in .dev.vars.')
  }, 120_000)
})

test('writes a new secret to .dev.vars, and keeps the other lines', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vars-'))
  try {
    writeFileSync(join(folder, '.dev.vars'), '# mine\nORIGINS=https://app.example.com', {
      mode: 0o600,
    })
    const code = `import { makeSecret, readVars } from '${pathToFileURL(resolve('src/command/files/vars.ts'))}'
      const made = [makeSecret('TIDEGATE_KEY', 'tg_'), makeSecret('TIDEGATE_SECRET')]
      console.log(JSON.stringify({ made, read: readVars() }))`
    const { PATH } = process.env
    const args = ['--input-type=module', '--eval', code]
    const said = execFileSync(process.execPath, args, { cwd: folder, env: { PATH } })
    const { made, read } = JSON.parse(String(said))
    expect(made).toEqual([
      expect.stringMatching(/^tg_[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ])
    const [TIDEGATE_KEY, TIDEGATE_SECRET] = made
    expect(read).toMatchObject({
      ORIGINS: 'https://app.example.com',
      TIDEGATE_KEY,
      TIDEGATE_SECRET,
    })
    expect(readFileSync(join(folder, '.dev.vars'), 'utf8')).toMatch(/^# mine\n/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
