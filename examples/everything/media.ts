/** One red pixel. */
export const png = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
} as const

/** An empty sound: the header of a WAV file without samples. */
export const wav = {
  mimeType: 'audio/wav',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=',
} as const

/** A text resource, embedded in content. */
export const embedded = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const
