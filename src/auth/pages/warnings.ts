import type { ConsentDescription } from '@cloudflare/workers-oauth-provider'

/** A warning about an app, shown before a person allows it. */
export interface Warning {
  readonly text: string
  /** True if the warning is specific to this app, and does not apply to every app of its kind. */
  readonly isGrave: boolean
}

type ClientIdentity = Pick<
  ConsentDescription,
  'clientName' | 'clientDomain' | 'redirectHost' | 'redirectIsLoopback'
>

/** Warnings about an app that requests access. */
export function warningsOf(app: ClientIdentity): readonly Warning[] {
  const { clientName, clientDomain, redirectHost, redirectIsLoopback } = app
  const brand = imitated(app)
  const home = (clientDomain ?? redirectHost).slice(0, 200)
  const warnings = [
    {
      text:
        brand &&
        `This app calls itself ${brand.title}, but it comes from ${home}, which is not known to belong to ${brand.title}. Refuse, unless you know who runs it.`,
      isGrave: true,
    },
    { text: isMixed(clientName) && MIXED, isGrave: true },
    {
      text: redirectIsLoopback ? ON_THIS_COMPUTER : clientDomain === undefined && UNVERIFIED,
      isGrave: false,
    },
  ]
  return warnings.filter((it): it is Warning => Boolean(it.text))
}

const MIXED =
  'The name of this app mixes alphabets, as imitations of other names often do. Refuse, unless you know it.'
const ON_THIS_COMPUTER =
  'The answer goes to a program on your own computer, and any program can use any name. Go on only if you have just started the sign-in there.'
const UNVERIFIED =
  'Anybody can register an app under any name. Go on only if you have just started the sign-in there, and know the address that the answer goes to.'

interface Brand {
  readonly title: string
  /** Parts of a name that stand for this brand, in lowercase and without spaces. */
  readonly words: readonly string[]
  /** Domains known to be the brand's, with all their hosts. */
  readonly domains?: readonly string[]
  /** Hosts known to be the brand's, on domains where anybody can publish. */
  readonly hosts?: readonly string[]
}

const brands: readonly Brand[] = [
  {
    title: 'Claude',
    words: ['claude', 'anthropic'],
    domains: ['claude.ai', 'claude.com', 'anthropic.com'],
  },
  {
    title: 'ChatGPT',
    words: ['chatgpt', 'openai', 'codex'],
    domains: ['chatgpt.com', 'openai.com'],
  },
  { title: 'Cursor', words: ['cursor'], domains: ['cursor.com', 'cursor.sh'] },
  {
    title: 'GitHub or VS Code',
    words: ['github', 'copilot', 'vscode', 'visualstudio'],
    domains: ['github.com', 'vscode.dev', 'microsoft.com', 'consent.azure-apim.net'],
    hosts: ['code.visualstudio.com'],
  },
  {
    title: 'Microsoft',
    words: ['microsoft'],
    domains: ['microsoft.com', 'vscode.dev', 'consent.azure-apim.net'],
    hosts: ['portal.azure.com', 'ai.azure.com', 'code.visualstudio.com'],
  },
  {
    title: 'Gemini',
    words: ['gemini', 'google'],
    domains: ['gemini.google'],
    hosts: [
      ...['gemini.google.com', 'aistudio.google.com', 'accounts.google.com'],
      ...['vertexaisearch.cloud.google.com', 'console.cloud.google.com'],
    ],
  },
  { title: 'Windsurf', words: ['windsurf', 'codeium'], domains: ['windsurf.com', 'codeium.com'] },
  { title: 'Perplexity', words: ['perplexity'], domains: ['perplexity.ai', 'perplexity.com'] },
  { title: 'Mistral', words: ['mistral', 'lechat'], domains: ['mistral.ai'] },
  { title: 'Notion', words: ['notion'], domains: ['notion.so', 'notion.com'] },
  { title: 'Slack', words: ['slack'], hosts: ['slack.com', 'app.slack.com', 'api.slack.com'] },
  { title: 'Zapier', words: ['zapier'], hosts: ['zapier.com', 'www.zapier.com', 'mcp.zapier.com'] },
  { title: 'Tidegate', words: ['tidegate'] },
]

/** The known brand that an app's name resembles, if the app is not on one of the brand's domains. */
function imitated(app: ClientIdentity): Brand | undefined {
  const { clientName, clientDomain, redirectHost, redirectIsLoopback } = app
  // A program on this computer always has to register itself, and has no domain.
  if (clientDomain === undefined && redirectIsLoopback) return undefined
  const home = clientDomain ?? redirectHost
  const name = folded(clientName)
  const brand = brands.find(({ words }) => words.some((word) => name.includes(folded(word))))
  const isHome =
    brand?.hosts?.includes(home) || brand?.domains?.some((domain) => isWithin(home, domain))
  return isHome ? undefined : brand
}

const isWithin = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)

/** A name as a person sees it at a glance: `C1aude ` and `CIaude` both look like `claude`. Only for comparing names. */
const folded = (name: string): string =>
  [...name.slice(0, MAX_NAME).normalize('NFKD').toLowerCase()]
    .map((it) => ALIKE.get(it) ?? it)
    .filter((it) => /[\p{L}\p{N}]/u.test(it))
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Letters, each with its lookalikes. */
const ALIKE = new Map(
  [
    ...['aɑᴀ4', 'bʙ', 'cᴄ', 'dᴅđ', 'eᴇ3', 'gɡɢ', 'hʜħ', 'jᴊ', 'kᴋ', 'liı1|!ɪʟł', 'mᴍ', 'nɴ'],
    ...['oᴏø0', 'pᴘ', 'rʀ', 'sꜱ5', 'tᴛŧ', 'uᴜ', 'vᴠ', 'wᴡ', 'yʏ', 'zᴢ'],
  ].flatMap(([letter = '', ...alike]) => alike.map((it) => [it, letter] as const)),
)

const MAX_NAME = 500

/** True if a name mixes letters from alphabets that look alike. */
const isMixed = (name: string): boolean => ALPHABETS.filter((it) => it.test(name)).length > 1

const ALPHABETS = [
  ...[/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u],
  ...[/\p{Script=Cherokee}/u, /\p{Script=Coptic}/u, /\p{Script=Lisu}/u],
]
