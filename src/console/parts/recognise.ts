import { ask, type Visit } from '../visit.ts'

/** What somebody pasted as a connection string: the URL for the API, or why it is none. */
export async function recognised(
  visit: Visit,
  text: string,
): Promise<{ readonly url: string } | { readonly message: string }> {
  // These name something of the Worker, and hold no secret.
  if (/^(?:secret|hyperdrive|d1|demo):\S*$/.test(text)) return { url: text }
  const { status, body } = await ask(visit, 'POST', '/connection-strings/recognise', { text })
  if (typeof body?.url === 'string') return { url: body.url }
  // Without the route, the API takes the text as it is.
  if (status === 404) return { url: text }
  return { message: body?.problem ?? body?.error?.message ?? 'This is no connection string.' }
}
