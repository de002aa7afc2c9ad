import { Layout } from '../parts/layout.tsx'

/** A row that a search found. */
export interface FoundRow {
  readonly title: string
  readonly text: string
  readonly table: string
}

/** Page for one row. Its content is shown as plain text. */
export const RecordPage = ({ title, text, table }: FoundRow) => (
  <Layout title={title} slim>
    <div class="stack">
      <h1>{title}</h1>
      <p class="dim">Row from {table}</p>
      <div class="copy">
        <pre>{text}</pre>
      </div>
    </div>
  </Layout>
)
