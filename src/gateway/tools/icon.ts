import type { Icon } from '../../mcp/index.ts'

const svg =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 1h8M2 1v4M4 1v4M6 1v4M0 7h8' stroke='#0b7285'/></svg>"

/** The same icon at 48 by 48 pixels: all clients support PNG, but not all support SVG. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEUAAAALcoUp6Tr1AAAAAXRSTlMAQObYZgAAAB9JREFUeNpjYMAG/oMBMRRDHfuDOobBRVEGSPA7FgAA7hVvWOcToy0AAAAASUVORK5CYII='

/** The gateway's icon, a gate over water. Data URLs, so clients need no fetch; in Base64, as the schema requires. */
export const icons: readonly Icon[] = [
  { src: `data:image/png;base64,${png}`, mimeType: 'image/png', sizes: ['48x48'] },
  { src: `data:image/svg+xml;base64,${btoa(svg)}`, mimeType: 'image/svg+xml', sizes: ['any'] },
]
