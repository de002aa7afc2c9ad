import { describe, expect, test, vi } from 'vitest'
import { piecesOf, Refusal, readBody } from '../../../src/mcp/index.ts'

/** A request whose body comes from this source. */
function requestOf(
  source: UnderlyingSource<Uint8Array>,
  headers: Record<string, string> = {},
): Request {
  const body = new ReadableStream(source)
  return new Request('http://localhost/mcp', {
    ...{ method: 'POST', headers, body, duplex: 'half' },
  } as RequestInit)
}

/** With a length, a body is read in one go. Without a length, it is read in pieces. */
const WAYS = [
  ['in one go', { 'content-length': '10' }],
  ['in pieces', {}],
] as const

describe.each(WAYS)('a body that is read %s', (_, headers) => {
  test('and that does not end in time is refused as the client’s fault', async () => {
    const begun = requestOf({ start: (it) => it.enqueue(new Uint8Array(3)) }, headers)
    const refused = await readBody(begun, 100, 20).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Refusal)
    expect(refused).toMatchObject({
      status: 408,
      message: 'The body did not arrive within 0.02 seconds. Send it again.',
    })
  })

  test('and that breaks off is the client’s fault', async () => {
    const lost = requestOf(
      { start: (it) => it.error(new Error('Network connection lost.')) },
      headers,
    )
    await expect(readBody(lost, 100)).rejects.toMatchObject({
      status: 400,
      message: 'The body is incomplete. Send it again.',
    })
  })

  test('leaves no timer behind', async () => {
    vi.useFakeTimers()
    try {
      const whole = requestOf(
        {
          start(it) {
            it.enqueue(new TextEncoder().encode('{}'))
            it.close()
          },
        },
        headers,
      )
      expect(await readBody(whole, 100)).toBe('{}')
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a body that arrives too slowly is cancelled', async () => {
  const cancel = vi.fn()
  const slow = requestOf({ start: (it) => it.enqueue(new Uint8Array(3)), cancel })
  const read = async () => {
    for await (const piece of piecesOf(slow, 20)) expect(piece).toHaveLength(3)
  }
  await expect(read()).rejects.toMatchObject({ status: 408 })
  expect(cancel).toHaveBeenCalledOnce()
})
