import { isObject, type RpcParams } from './jsonrpc.ts'

/** Something about a server that changed, for those who asked to be told. */
export type Change =
  | { readonly kind: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** What a subscriber wants to hear of, in the protocol's own words. */
export interface Filter {
  readonly toolsListChanged?: true
  readonly promptsListChanged?: true
  readonly resourcesListChanged?: true
  readonly resourceSubscriptions?: readonly string[]
}

/** Carries changes from whoever makes them to whoever listens. */
export interface Changes {
  publish(change: Change): void | Promise<void>
  /** Calls `listener` until `signal` aborts. */
  listen(listener: (change: Change) => void, signal: AbortSignal): void | Promise<void>
}

/** Changes within one isolate. */
export function localChanges(): Changes {
  const listeners = new Set<(change: Change) => void>()
  return {
    publish(change) {
      for (const listener of listeners) listener(change)
    },
    listen(listener, signal) {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener))
    },
  }
}

/** Addresses one subscriber may name. */
const MOST_URIS = 1_000

/** Reads the filter of a subscriber; what it does not understand is left out. */
export function filterOf(value: unknown): Filter {
  if (!isObject(value)) return {}
  const { resourceSubscriptions: uris } = value
  return {
    ...(value.toolsListChanged === true && { toolsListChanged: true }),
    ...(value.promptsListChanged === true && { promptsListChanged: true }),
    ...(value.resourcesListChanged === true && { resourcesListChanged: true }),
    ...(Array.isArray(uris) && {
      resourceSubscriptions: uris.filter((it) => typeof it === 'string').slice(0, MOST_URIS),
    }),
  }
}

export const wants = (filter: Filter, change: Change): boolean =>
  change.kind === 'resource'
    ? (filter.resourceSubscriptions ?? []).includes(change.uri)
    : filter[`${change.kind}ListChanged`] === true

/** The notification that tells of a change. */
export const notificationOf = (change: Change): { method: string; params: RpcParams } =>
  change.kind === 'resource'
    ? { method: 'notifications/resources/updated', params: { uri: change.uri } }
    : { method: `notifications/${change.kind}/list_changed`, params: {} }
