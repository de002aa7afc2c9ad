/** Sends a browser on, and whatever it posted stays here. */
export function seeOther(location: string, more?: HeadersInit): Response {
  const headers = new Headers(more)
  headers.set('location', location)
  headers.set('cache-control', 'no-store')
  return new Response(null, { status: 303, headers })
}
