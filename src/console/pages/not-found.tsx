import { Copy } from '../parts/copy.tsx'
import { Layout } from '../parts/layout.tsx'

/** Page for an unknown path. It does not repeat the path, which may contain a key. */
export const NotFoundPage = ({ url }: { readonly url: string }) => (
  <Layout title="Page not found" slim>
    <div class="stack far">
      <div class="stack">
        <h1>Page not found</h1>
        <p>The URL to paste into an app ends in /mcp:</p>
      </div>
      <Copy id="url" what="the URL" big>
        {url}
      </Copy>
      <div class="stack">
        <h2>You may be looking for</h2>
        <ul class="stack">
          <li>
            <a href="/">About Tidegate, and how to connect an app</a>
          </li>
        </ul>
      </div>
    </div>
  </Layout>
)
