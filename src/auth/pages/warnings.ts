import type { ConsentDescription } from '@cloudflare/workers-oauth-provider'

/** What a person should know of an app before they let it in. */
export interface Warning {
  readonly text: string
  /** Whether it is more than what is true of every app of its kind. */
  readonly isGrave: boolean
}

type App = Pick<
  ConsentDescription,
  'clientName' | 'clientDomain' | 'redirectHost' | 'redirectIsLoopback'
>

/** What a person should know of an app that asks. */
export function warningsOf(app: App): readonly Warning[] {
  const { clientName, clientDomain, redirectHost, redirectIsLoopback } = app
  const warnings: Warning[] = []
  const brand = imitated(app)
  if (brand) {
    const home = clientDomain ?? redirectHost
    const text = `This app calls itself ${brand.title}, but it is of ${home.slice(0, 200)}, which is not known to belong to ${brand.title}. Refuse, unless you know who runs it.`
    warnings.push({ text, isGrave: true })
  }
  if (isMixed(clientName)) {
    const text =
      'The name of this app mixes alphabets, as names do that imitate another. Refuse, unless you know it.'
    warnings.push({ text, isGrave: true })
  }
  if (redirectIsLoopback) {
    const text =
      'The answer goes to a program on your own computer, and any program can take a name. Go on only if you have just started the sign-in there.'
    warnings.push({ text, isGrave: false })
  } else if (clientDomain === undefined) {
    const text =
      'Anybody can register an app by any name. Go on only if you have just started the sign-in there, and know the address that the answer goes to.'
    warnings.push({ text, isGrave: false })
  }
  return warnings
}

interface Brand {
  readonly title: string
  /** What a name contains that means it, in small letters and without spaces. */
  readonly words: readonly string[]
  /** The domains that are known to be theirs, with all hosts in them. */
  readonly domains?: readonly string[]
  /** The hosts that are known to be theirs, where others of the domain serve what anybody put there. */
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

/** The known app that an app is called like, if it is not of one of its domains. */
function imitated(app: App): Brand | undefined {
  const { clientName, clientDomain, redirectHost, redirectIsLoopback } = app
  // Every program on this computer has to register itself, and has no domain.
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

/** A name as a person sees it at a glance: `C1aude ` is `claude`, and `CIaude` too. Only folded names are compared. */
const folded = (name: string): string =>
  [...name.slice(0, MAX_NAME).normalize('NFKD').toLowerCase()]
    .map((it) => ALIKE.get(it) ?? it)
    .filter((it) => /[\p{L}\p{N}]/u.test(it))
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')

/** Letters, each with the characters that look like it. */
const ALIKE = new Map(
  [
    ...['aɑᴀ4', 'bʙ', 'cᴄ', 'dᴅđ', 'eᴇ3', 'gɡɢ', 'hʜħ', 'jᴊ', 'kᴋ', 'liı1|!ɪʟł', 'mᴍ', 'nɴ'],
    ...['oᴏø0', 'pᴘ', 'rʀ', 'sꜱ5', 'tᴛŧ', 'uᴜ', 'vᴠ', 'wᴡ', 'yʏ', 'zᴢ'],
  ].flatMap(([letter = '', ...alike]) => alike.map((it) => [it, letter] as const)),
)

const MAX_NAME = 500

/** Whether a name has letters of several of the alphabets whose letters look alike. */
const isMixed = (name: string): boolean => ALPHABETS.filter((it) => it.test(name)).length > 1

const ALPHABETS = [
  ...[/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u],
  ...[/\p{Script=Cherokee}/u, /\p{Script=Coptic}/u, /\p{Script=Lisu}/u],
]
