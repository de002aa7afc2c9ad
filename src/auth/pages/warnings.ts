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
  /** The domains that are known to be theirs. */
  readonly domains: readonly string[]
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
    title: 'Microsoft or GitHub',
    words: ['microsoft', 'github', 'copilot', 'vscode', 'visualstudio'],
    domains: [
      ...['microsoft.com', 'github.com', 'vscode.dev', 'visualstudio.com', 'azure.com'],
      ...['azure-apim.net', 'powerplatform.com'],
    ],
  },
  {
    title: 'Gemini',
    words: ['gemini', 'google'],
    domains: ['google.com', 'gemini.google', 'googleapis.com'],
  },
  { title: 'Windsurf', words: ['windsurf', 'codeium'], domains: ['windsurf.com', 'codeium.com'] },
  { title: 'Perplexity', words: ['perplexity'], domains: ['perplexity.ai', 'perplexity.com'] },
  { title: 'Mistral', words: ['mistral', 'lechat'], domains: ['mistral.ai'] },
  { title: 'Notion', words: ['notion'], domains: ['notion.so', 'notion.com'] },
  { title: 'Slack', words: ['slack'], domains: ['slack.com'] },
  { title: 'Zapier', words: ['zapier'], domains: ['zapier.com'] },
  { title: 'Tidegate', words: ['tidegate'], domains: [] },
]

/** The known app that an app is called like, if it is not of one of its domains. */
function imitated(app: App): Brand | undefined {
  const { clientName, clientDomain, redirectHost, redirectIsLoopback } = app
  // Every program on this computer has to register itself, and has no domain.
  if (clientDomain === undefined && redirectIsLoopback) return undefined
  const home = clientDomain ?? redirectHost
  const name = folded(clientName)
  const brand = brands.find(({ words }) => words.some((word) => name.includes(word)))
  return brand?.domains.some((domain) => isWithin(home, domain)) ? undefined : brand
}

const isWithin = (host: string, domain: string): boolean =>
  host === domain || host.endsWith(`.${domain}`)

/** A name as a person sees it at a glance: `C1aude ` is `claude`. */
const folded = (name: string): string =>
  name
    .slice(0, MAX_NAME)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/[01345ı]/gu, (it) => ALIKE[it] ?? it)

const ALIKE: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  ı: 'i',
}

const MAX_NAME = 500

/** Whether a name has Latin letters, and others that look like them. */
const isMixed = (name: string): boolean =>
  /\p{Script=Latin}/u.test(name) &&
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u.test(
    name,
  )
