/**
 * Ends an open stream once its caller is no longer admitted. This is checked at each event, and at the keep-alive
 * comments between events.
 *
 * @param admitted Throws if the caller is no longer admitted.
 */
export function whileAdmitted(
  answer: Response,
  { method, headers }: Request,
  admitted: () => Promise<unknown>,
): Response {
  // The response to a call can also be a stream, but that ends by itself.
  const staysOpen = method === 'GET' || headers.get('mcp-method')?.trim() === 'subscriptions/listen'
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  if (!staysOpen || !isStream || !answer.body) return answer
  const reader = answer.body.getReader()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      const goesOn =
        !done &&
        (await admitted().then(
          () => true,
          () => false,
        ))
      if (goesOn) controller.enqueue(value)
      else {
        controller.close()
        await reader.cancel()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, answer)
}
