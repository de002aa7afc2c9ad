import { DurableObject } from 'cloudflare:workers'
import { once } from '../../ground/index.ts'
import type { FindOffers } from '../offers.ts'
import type { SignInEnv } from '../settings.ts'
import type { GroupsCount } from '../sign-in/group-list.ts'
import type { Orders, SendOrder } from './orders.ts'

/** The parts of a deployment that the authorization server needs. */
interface AuthorizationOptions<Env> {
  offers(env: Env, ...asked: Parameters<FindOffers>): ReturnType<FindOffers>
  groupsCount(env: Env): ReturnType<GroupsCount>
}

/**
 * The Durable Object that is a deployment's authorization server. There is only one, so it reads its own writes. The
 * first request to it loads its code.
 */
export function authorizationObject<Env extends SignInEnv>(
  options: AuthorizationOptions<Env>,
): new (
  state: DurableObjectState,
  env: Env,
) => AuthorizationObject {
  return class Authorization extends DurableObject<Env> {
    readonly #open = once(async () => {
      const { AuthorizationServer } = await import('./authorization-server.ts')
      return new AuthorizationServer(this.ctx, this.env, {
        offers: (...asked) => options.offers(this.env, ...asked),
        groupsCount: () => options.groupsCount(this.env),
      })
    })

    /** Handles a request from outside. */
    override async fetch(request: Request): Promise<Response> {
      return (await this.#open()).fetch(request)
    }

    /** Carries out an order from the Worker. Requests from outside never reach it. */
    async take(order: keyof Orders, input: unknown): Promise<unknown> {
      return (await this.#open()).take(order, input)
    }

    override async alarm(): Promise<void> {
      await (await this.#open()).sweep()
    }
  }
}

/** The methods of the object that its platform and the Worker call. */
export interface AuthorizationObject {
  fetch(request: Request): Promise<Response>
  take(order: keyof Orders, input: unknown): Promise<unknown>
  alarm(): Promise<void>
}

/** The authorization server of a deployment. */
const serverOf = (namespace: DurableObjectNamespace) =>
  namespace.get(namespace.idFromName('authorization')) as unknown as AuthorizationObject

/** Forwards a request from outside to the authorization server. */
export const forwarded = (namespace: DurableObjectNamespace, request: Request): Promise<Response> =>
  serverOf(namespace).fetch(request)

/** Returns the function that sends orders from a Worker to the authorization server. */
export const authorizationIn =
  (namespace: DurableObjectNamespace): SendOrder =>
  (...order) =>
    serverOf(namespace).take(...order) as never
