import { Copy } from '../parts/copy.tsx'
import { Layout } from '../parts/layout.tsx'

/** A path that is none. It is not repeated: it may hold a key. */
export const NotFoundPage = ({ url }: { readonly url: string }) => (
  <Layout title="No such page" slim>
    <div class="stack far">
      <div class="stack">
        <h1>There is nothing at this address</h1>
        <p>The URL to paste into an app ends in /mcp:</p>
      </div>
      <Copy id="url" what="the URL" big>
        {url}
      </Copy>
      <div class="stack">
        <h2>You may have meant</h2>
        <ul class="stack">
          <li>
            <a href="/">What this is, and how to connect an app</a>
          </li>
        </ul>
      </div>
    </div>
  </Layout>
)
