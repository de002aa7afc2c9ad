import type { Icon } from '../mcp/index.ts'

const svg =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 1h8M2 1v4M4 1v4M6 1v4M0 7h8' stroke='#0b7285'/></svg>"

/** The same in 48 by 48 pixels, since every client reads PNG and not every one SVG. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEUAAAALcoUp6Tr1AAAAAXRSTlMAQObYZgAAAB9JREFUeNpjYMAG/oMBMRRDHfuDOobBRVEGSPA7FgAA7hVvWOcToy0AAAAASUVORK5CYII='

/** A gate over water. In place, so that a client has to fetch it from nowhere; in Base64, as the schema wants. */
export const icons: readonly Icon[] = [
  { src: `data:image/png;base64,${png}`, mimeType: 'image/png', sizes: ['48x48'] },
  { src: `data:image/svg+xml;base64,${btoa(svg)}`, mimeType: 'image/svg+xml', sizes: ['any'] },
]
