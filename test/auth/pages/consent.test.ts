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
}

const textOf = (more: Partial<Consent>) => consentPage({ ...consent, ...more }).text()

describe('an app that its domain vouches for', () => {
  test('is shown with the domain, without warnings, and may be allowed by Enter', async () => {
    const text = await textOf({})
    expect(text).toContain('Verified by claude.ai')
    expect(text).not.toContain('class="note')
    expect(text.indexOf('value="allow"')).toBeLessThan(text.indexOf('value="deny"'))
    expect(text).toContain('not used for 30 days')
  })

  test('is warned of if it is called like one of another domain', async () => {
    const text = await textOf({ clientDomain: 'evil.example', redirectHost: 'evil.example' })
    expect(text).toContain('class="note wrong"')
    expect(text.indexOf('value="deny"')).toBeLessThan(text.indexOf('value="allow"'))
  })

  test('is warned of if its answer goes to this computer, where any program can take it', async () => {
    const text = await textOf({ redirectHost: 'localhost', redirectIsLoopback: true })
    expect(text).toContain('a program on your own computer')
    expect(text).not.toContain('class="note wrong"')
  })
})

test('an app whose name is not seen is named all the same', async () => {
  expect(await textOf({ clientName: '\u3164\u200b' })).toContain('An app without a name asks')
})

test('the page of fifty endpoints has no more than forty kilobytes', async () => {
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
  ])('that is like a known one is warned of: %s', (name) => {
    expect(grave(name, stranger)).toBe(true)
  })

  test.each(['Notes', 'Клиент', '豆包 AI', 'Οδηγός', 'Éclair', ''])(
    'that is like none is not: %s',
    (name) => {
      expect(grave(name, stranger)).toBe(false)
    },
  )

  test.each(['claude.ai', 'www.claude.ai', 'claude.com'])(
    'is fine at an address of its own: %s',
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
    'is not fine at an address of its own where anybody can put what they like: %s, %s',
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
  ])('is fine at the address that it is known to have: %s, %s', (name, host) => {
    expect(grave(name, { clientDomain: host, redirectHost: host })).toBe(false)
  })

  test.each(['claude.ai.evil.example', 'evilclaude.ai', 'claude-ai.example'])(
    'is not fine at one that is like it: %s',
    (redirectHost) => {
      expect(grave('Claude', { ...stranger, redirectHost })).toBe(true)
    },
  )
})

describe('what a stranger wrote', () => {
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
  ])('is bounded, and turns no line around: %j', (text, plain) => {
    expect(shown(text)).toBe(plain)
  })

  test('takes no time, however long it is', () => {
    expect([...shown('\u0301 \u202e'.repeat(1_000_000))].length).toBeLessThan(100)
  })
})

test('who may use nothing reads how an endpoint is added', async () => {
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
