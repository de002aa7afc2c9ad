import { raw } from 'hono/html'
import type { Child, FC } from 'hono/jsx'
import { version } from '../../ground/index.ts'

/** Headers for a page: it loads only its own style, script and logo, and must not be framed, cached or indexed. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // With `no-referrer`, forms would send no origin.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
}

export interface LayoutProps {
  readonly title: string
  readonly slim?: boolean
  /** Path of a script for this page only. */
  readonly script?: string | undefined
  /** Link on the logo. */
  readonly home?: string
  /** Hash of this session's proof. */
  readonly proofHash?: string | undefined
  /** Content beside the logo. */
  readonly bar?: Child
  readonly children: Child
}

/** A page with its header and footer. */
export const Layout: FC<LayoutProps> = ({
  title,
  slim = false,
  script,
  home = '/',
  proofHash,
  bar,
  children,
}) => (
  <>
    {raw('<!doctype html>\n')}
    <html lang="en" data-proof={proofHash}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title} · Tidegate</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/console.css" />
        <script src="/assets/copy.js" defer />
        <script src="/assets/proof.js" defer />
        {script && <script src={script} defer />}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header class="bar">
          <div>
            <a class="brand" href={home}>
              <Mark />
              Tidegate
            </a>
            {bar}
          </div>
        </header>
        <main id="main" class={slim ? 'page slim' : 'page'}>
          {children}
        </main>
        <footer class="end">
          <div>
            <span>Tidegate {version}</span>
            <a href="/">About</a>
            <a href="/console">Console</a>
            <a href="https://modelcontextprotocol.io">About MCP</a>
            <span>MIT license</span>
          </div>
        </footer>
      </body>
    </html>
  </>
)

/** A T whose stem is a flap, pushed open by the water. */
const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 32 32" fill="none" aria-hidden="true">
    <path
      d="M5 6h22M15.5 6l5.5 10.5"
      stroke="currentColor"
      stroke-width="3.6"
      stroke-linecap="round"
    />
    <path
      d="M3.5 16.2c0-.8.5-1.2 1.2-1.2h6.8c6.8 0 5.2 7.5 12 7.5h3.8c.8 0 1.2.4 1.2 1.2V27c0 .8-.4 1.2-1.2 1.2H4.7c-.7 0-1.2-.4-1.2-1.2z"
      class="mark-water"
    />
  </svg>
)
