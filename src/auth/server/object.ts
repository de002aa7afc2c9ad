import { DurableObject } from 'cloudflare:workers'
import type { SignInEnv } from '../settings.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { FindOffers } from './offers.ts'
import type { Ask, Orders } from './orders.ts'

/** What the authorization server has to know of a deployment. */
export interface AuthorizationOptions<Env> {
  offers(env: Env, ...asked: Parameters<FindOffers>): ReturnType<FindOffers>
}

/**
 * The Durable Object that is the authorization server of a deployment. There is one, so that what it wrote is
 * what it reads. Its code is read by the first request to it.
 */
export function authorizationObject<Env extends SignInEnv>(
  options: AuthorizationOptions<Env>,
): new (
  state: DurableObjectState,
  env: Env,
) => AuthorizationObject {
  return class Authorization extends DurableObject<Env> {
    #server: Promise<AuthorizationServer> | undefined

    /** Serves a request from outside. */
    override async fetch(request: Request): Promise<Response> {
      return (await this.#open()).fetch(request)
    }

    /** Carries out an order of the Worker. No request from outside comes here. */
    async take<Name extends keyof Orders>(
      order: Name,
      input: Parameters<Orders[Name]>[0],
    ): Promise<unknown> {
      return (await this.#open()).take(order, input)
    }

    override async alarm(): Promise<void> {
      await (await this.#open()).sweep()
    }

    #open(): Promise<AuthorizationServer> {
      this.#server ??= import('./authorization-server.ts')
        .then(({ AuthorizationServer }) => {
          const offers: FindOffers = (...asked) => options.offers(this.env, ...asked)
          return new AuthorizationServer(this.ctx, this.env, offers)
        })
        .catch((error: unknown) => {
          // The next request tries again.
          this.#server = undefined
          console.error(error)
          throw error
        })
      return this.#server
    }
  }
}

/** The object, as its platform and the Worker use it. */
export interface AuthorizationObject {
  fetch(request: Request): Promise<Response>
  take<Name extends keyof Orders>(order: Name, input: Parameters<Orders[Name]>[0]): Promise<unknown>
  alarm(): Promise<void>
}

/** The namespace of the object, as a Worker has it. */
export type AuthorizationNamespace = DurableObjectNamespace

/** The authorization server of a deployment. */
const serverOf = (namespace: AuthorizationNamespace) =>
  namespace.get(namespace.idFromName('authorization')) as unknown as {
    fetch(request: Request): Promise<Response>
    take(order: string, input: unknown): Promise<unknown>
  }

/** Sends a request from outside to the authorization server. */
export const forwarded = (namespace: AuthorizationNamespace, request: Request): Promise<Response> =>
  serverOf(namespace).fetch(request)

/** How a Worker gives orders to the authorization server. */
export const authorizationIn =
  (namespace: AuthorizationNamespace): Ask =>
  (order, input) =>
    serverOf(namespace).take(order, input) as never
