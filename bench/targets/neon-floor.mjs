// The floor for a query in Neon's protocol: one fetch, and JSON.parse on the response.

export default {
  async fetch(_, { URL: url, QUERY: query }) {
    const { host } = new URL(url)
    const response = await fetch(`http://${host}/sql`, {
      method: 'POST',
      headers: {
        'Neon-Connection-String': url.replace('neon:', 'postgresql:'),
        'Neon-Raw-Text-Output': 'true',
        'Neon-Array-Mode': 'true',
      },
      body: JSON.stringify({ queries: [{ query, params: [] }] }),
    })
    const { results } = JSON.parse(await response.text())
    return new Response(`${results[0].rows.length} × ${results[0].rows[0].length}`)
  },
}
