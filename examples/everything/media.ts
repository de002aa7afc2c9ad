/** One red pixel. */
export const png = {
  mimeType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
} as const

/** A sound that ends before it began: the header of a WAV file and no samples. */
export const wav = {
  mimeType: 'audio/wav',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=',
} as const

/** A resource with text, as it is put into content. */
export const embedded = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const
