import { Layout } from '../parts/layout.tsx'

/** A row of a table, as a search found it. */
export interface FoundRow {
  readonly title: string
  readonly text: string
  readonly table: string
}

/** The page of one row. What it holds is shown as text. */
export const RecordPage = ({ title, text, table }: FoundRow) => (
  <Layout title={title} slim>
    <div class="stack">
      <h1>{title}</h1>
      <p class="dim">A row of {table}</p>
      <div class="copy">
        <pre>{text}</pre>
      </div>
    </div>
  </Layout>
)
