import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBrowserRendering } from '../servers/browser-rendering.ts'
import { startIssues } from '../servers/github-issues.ts'
import { startProfileSite } from '../servers/profile-site.ts'
import { Desk } from '../sign-in/desk.ts'
import { startModel } from '../sign-in/model.ts'
import { copilot, copilotRun } from '../sign-in/programs.ts'
import { chromiumForTests } from '../support/chromium.ts'
import { plainVars, program } from '../support/spawned.ts'

/** A call that shows the purpose of an example, and a part of its result. */
interface Shown {
  readonly example: string
  readonly tool: string
  readonly input: object
  readonly works: string
  readonly env?: Record<string, string>
}

const chromium = await chromiumForTests()
const site = await startProfileSite()
const cloudflare = await startBrowserRendering(chromium)
const github = await startIssues()
Object.assign(github.users, { 'github_pat_team-marker': { login: 'team', canWrite: true } })
const issue = { number: 1, title: 'The checkout is slow', body: '', state: 'open' }
Object.assign(github.repositories, {
  'acme/shop': { id: 1, issues: [{ ...issue, labels: [], login: 'octocat', comments: [] }] },
})
afterAll(async () => {
  await github.close()
  await cloudflare.close()
  await site.close()
  await chromium?.close()
})

const withBrowser: Shown = {
  example: 'browser-and-sheets',
  tool: 'navigate',
  input: { url: `${site.url}/people/grace` },
  works: '# Grace Hopper',
  env: {
    SERVER: 'browser',
    CLOUDFLARE_API_URL: cloudflare.url,
    CLOUDFLARE_ACCOUNT_ID: cloudflare.account,
    CLOUDFLARE_API_TOKEN: cloudflare.token,
  },
}

const shown: readonly Shown[] = [
  { example: 'calculator', tool: 'divide', input: { a: 1, b: 8 }, works: '0.125' },
  {
    example: 'notes',
    tool: 'create_note',
    input: { name: 'shopping/May', text: 'Milk' },
    works: 'Created note://shopping%2FMay.',
  },
  {
    example: 'crm',
    tool: 'get_contact',
    input: { email: 'oya.okafor299@example.com' },
    works: 'Oyá Okafor',
  },
  {
    example: 'github-issues',
    tool: 'list_issues',
    input: { repository: 'acme/shop' },
    works: 'The checkout is slow',
    env: { GITHUB_URL: github.url, GITHUB_TOKEN: 'github_pat_team-marker' },
  },
  // It has no service account here, so it reports what it needs.
  {
    example: 'browser-and-sheets',
    tool: 'append_rows',
    input: { spreadsheet: '1aBcDeFgHiJkLmNoP', rows: [['a']] },
    works: 'GOOGLE_SERVICE_ACCOUNT',
    env: { SERVER: 'sheets' },
  },
  { example: 'everything', tool: 'test_simple_text', input: {}, works: 'simple text response' },
  ...(chromium ? [withBrowser] : []),
]

const browser = { open: async () => '' } as never

// The host is a published program. Its model is ours, and calls the tool that a test names.
describe.skipIf(!existsSync(copilot))(
  'Copilot CLI starts each example, and its model calls a tool',
  () => {
    let desk: Desk
    beforeAll(() => {
      desk = new Desk(browser)
    })
    afterAll(() => desk.clear())

    test.each(shown)('$example: $tool', async ({ example, tool, input, works, env }) => {
      const args = [program, 'run', resolve('examples', example)]
      const server = {
        type: 'local',
        command: process.execPath,
        args,
        env: plainVars(env),
        tools: ['*'],
      }
      desk.write('.copilot/mcp-config.json', { mcpServers: { own: server } })
      const model = await startModel(`own-${tool}`, works, input)
      try {
        await desk.run([copilot, '--allow-all-tools', '-p', 'Go on'], copilotRun(model.url))
        expect(model.told()).toContain(works)
      } finally {
        model.stop()
      }
    })
  },
)
