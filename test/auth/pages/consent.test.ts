import { describe, expect, test, vi } from 'vitest'
import { type Consent, consentPage } from '../../../src/auth/pages/consent.ts'
import { html, shown } from '../../../src/auth/pages/html.ts'
import { nothingToReadPage } from '../../../src/auth/pages/nothing-to-read.ts'
import { warningsOf } from '../../../src/auth/pages/warnings.ts'

vi.mock('cloudflare:workers', () => ({ DurableObject: class {}, waitUntil() {} }))

const consent: Consent = {
  clientId: 'https://claude.ai/oauth/client.json',
  clientName: 'Claude',
  clientDomain: 'claude.ai',
  redirectUri: 'https://claude.ai/callback',
  redirectHost: 'claude.ai',
  redirectIsLoopback: false,
  scope: ['db:read'],
  handle: 'handle',
  as: 'userid',
  person: 'ada@example.com',
  question: 'client_id=x',
  token: 'token',
  offers: [{ name: 'shop', title: 'Shop', tools: ['list_tables'], isAsked: true }],
  more: 0,
  days: 30,
  endsInADay: false,
}

const textOf = (more: Partial<Consent>) => consentPage({ ...consent, ...more }).text()

describe('an app that its domain vouches for', () => {
  test('is shown with its domain and without warnings, and Enter allows it', async () => {
    const text = await textOf({})
    expect(text).toContain('Verified by claude.ai')
    expect(text).not.toContain('class="note')
    expect(text.indexOf('value="allow"')).toBeLessThan(text.indexOf('value="deny"'))
    expect(text).toContain('ends after 30 days without use')
  })

  test('causes a warning if it is named like an app from another domain', async () => {
    const text = await textOf({ clientDomain: 'evil.example', redirectHost: 'evil.example' })
    expect(text).toContain('class="note wrong"')
    expect(text.indexOf('value="deny"')).toBeLessThan(text.indexOf('value="allow"'))
  })

  test('causes a note if its response goes to a program on this computer', async () => {
    const text = await textOf({ redirectHost: 'localhost', redirectIsLoopback: true })
    expect(text).toContain('a program on your own computer')
    expect(text).not.toContain('class="note wrong"')
  })
})

test('an app with an invisible name is called an app without a name', async () => {
  expect(await textOf({ clientName: '\u3164\u200b' })).toContain('An app without a name asks')
})

test('a page with fifty endpoints is smaller than forty kilobytes', async () => {
  const tools = Array.from({ length: 40 }, (_, i) => `tool_number_${i}`)
  const offers = Array.from({ length: 50 }, (_, i) => ({
    name: `endpoint-${i}`,
    title: 'x'.repeat(500),
    tools,
  }))
  const text = await textOf({ offers, more: 7 })
  expect(text.length).toBeLessThan(40_000)
  expect(text).toContain('tool_number_11, and 28 more')
  expect(text).toContain('There may be more.')
})

describe('a name', () => {
  const { clientDomain: _, ...others } = consent
  const stranger = { redirectHost: 'app.example' }
  const grave = (clientName: string, more: Partial<Consent>) =>
    warningsOf({ ...others, clientName, ...more }).some(({ isGrave }) => isGrave)

  test.each([
    'Claude',
    'cl aude',
    'ClAuDe Code',
    'ＣＬＡＵＤＥ',
    'Cláude',
    'C1aude',
    'Сlaude',
    'VS Code',
    'CIaude',
    'C|aude',
    'C!aude',
    'Clɑude',
    'Cłaude',
    'ᴄʟᴀᴜᴅᴇ',
    'Mlcrosoft',
    'Rnicrosoft',
    'VVindsurf',
    'Gernini',
    'Сӏаυԁе',
  ])('that resembles a known name causes a warning: %s', (name) => {
    expect(grave(name, stranger)).toBe(true)
  })

  test.each(['Notes', 'Клиент', '豆包 AI', 'Οδηγός', 'Éclair', ''])(
    'that resembles no known name causes no warning: %s',
    (name) => {
      expect(grave(name, stranger)).toBe(false)
    },
  )

  test.each(['claude.ai', 'www.claude.ai', 'claude.com'])(
    'causes no warning at its own address: %s',
    (redirectHost) => {
      expect(grave('Claude', { ...stranger, redirectHost })).toBe(false)
    },
  )

  test.each([
    ['Gemini CLI', 'storage.googleapis.com'],
    ['Gemini CLI', 'script.google.com'],
    ['Microsoft Copilot', 'evil.westeurope.cloudapp.azure.com'],
    ['VS Code', 'evil.visualstudio.com'],
    ['Slack', 'files.slack.com'],
    ['Zapier', 'store.zapier.com'],
  ])(
    'causes a warning at its own address if anybody can publish content there: %s, %s',
    (name, host) => {
      expect(grave(name, { ...stranger, redirectHost: host })).toBe(true)
      expect(grave(name, { clientDomain: host, redirectHost: host })).toBe(true)
    },
  )

  test.each([
    ['Gemini', 'gemini.google.com'],
    ['Microsoft Copilot Studio', 'global.consent.azure-apim.net'],
    ['Visual Studio Code', 'insiders.vscode.dev'],
    ['Visual Studio Code', 'vscode.dev'],
    ['Cursor', 'www.cursor.com'],
    ['Slack', 'slack.com'],
    ['Zapier', 'mcp.zapier.com'],
    ['Codex', 'chatgpt.com'],
  ])('causes no warning at an address that is known to be its own: %s, %s', (name, host) => {
    expect(grave(name, { clientDomain: host, redirectHost: host })).toBe(false)
  })

  test.each(['claude.ai.evil.example', 'evilclaude.ai', 'claude-ai.example'])(
    'causes a warning at an address that resembles its own: %s',
    (redirectHost) => {
      expect(grave('Claude', { ...stranger, redirectHost })).toBe(true)
    },
  )
})

describe('text from a stranger', () => {
  test('is escaped', () => {
    expect(html`<p title="${`"'<&>`}">${['<', html`<b>`]}${false}${undefined}${0}`.text).toBe(
      '<p title="&#34;&#39;&#60;&#38;&#62;">&#60;<b>0',
    )
  })

  test.each([
    ['a\u202eb\u2066c\u200bd\u3164e\u0000f', 'abcdef'],
    ['  a \n\t\u2028 b  ', 'a b'],
    [`e${'\u0301'.repeat(50)}x`, `e${'\u0301'.repeat(4)}x`],
    ['x'.repeat(81), `${'x'.repeat(80)}…`],
    ['\u{1f30a}'.repeat(81), `${'\u{1f30a}'.repeat(80)}…`],
    ['\ud800', ''],
  ])('is bounded, and cannot reverse the text around it: %j', (text, plain) => {
    expect(shown(text)).toBe(plain)
  })

  test('is processed quickly, however long it is', () => {
    expect([...shown('\u0301 \u202e'.repeat(1_000_000))].length).toBeLessThan(100)
  })
})

test('a person without endpoints is shown how to add one', async () => {
  const more = {
    origin: 'https://gate.example',
    name: undefined,
    offers: [],
    reference: 'AbCd1234',
  }
  const page = nothingToReadPage({ ...consent, ...more })
  const text = await page.text()
  expect(page.status).toBe(403)
  expect(text).toContain('npx tidegate endpoint add NAME')
  expect(text).toContain('AbCd1234')
})
