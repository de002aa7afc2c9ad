// The floor for a stream: writes as many events to a bare ReadableStream as the request specifies.

const encoder = new TextEncoder()

export default {
  async fetch(request) {
    const { params } = await request.json()
    const { events } = params.arguments
    const body = new ReadableStream({
      start(controller) {
        for (let i = 1; i <= events; i++) {
          const message = {
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: 'p', progress: i, total: events, message: `step ${i}` },
          }
          const event = `event: message\ndata: ${JSON.stringify(message)}\n\n`
          controller.enqueue(encoder.encode(event))
        }
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  },
}
