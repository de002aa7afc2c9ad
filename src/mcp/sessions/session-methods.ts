import { logLevelOf, NO_LOG_LEVEL } from '../features/context.ts'
import { codes, RpcError, type RpcParams } from '../wire/jsonrpc.ts'
import type { SessionState } from './session-state.ts'

/** A method that changes the session itself. */
type SessionMethod = (
  params: RpcParams,
  state: SessionState,
  limits: { readonly subscriptions: number },
) => void

/** The methods that change the session itself: one row for each. */
export const sessionMethods: Readonly<Record<string, SessionMethod>> = {
  'logging/setLevel'({ level }, state) {
    const logLevel = logLevelOf(level)
    if (!logLevel) throw new RpcError(codes.invalidParams, NO_LOG_LEVEL)
    state.change({ logLevel })
  },
  'resources/subscribe'({ uri }, state, limits) {
    if (typeof uri !== 'string')
      throw new RpcError(codes.invalidParams, 'Say which resource, as params.uri.')
    const subscriptions = [...new Set([...(state.saved?.subscriptions ?? []), uri])]
    if (subscriptions.length > limits.subscriptions) {
      throw new RpcError(
        codes.invalidRequest,
        `A session watches at most ${limits.subscriptions} resources: unsubscribe from one first.`,
      )
    }
    state.change({ subscriptions })
  },
  'resources/unsubscribe'({ uri }, state) {
    state.change({ subscriptions: (state.saved?.subscriptions ?? []).filter((it) => it !== uri) })
  },
}
