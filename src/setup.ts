import type { Context } from 'hono'
import { type App, wantsJson } from './admission.ts'
import { wayToSignIn } from './auth/index.ts'
import { type SetupState, type StepState, setupPage } from './console/index.ts'
import { deploymentOf, type Env } from './deployment.ts'
import { isDemo } from './gateway/index.ts'
import { platformOf, secretProblem } from './registry/index.ts'

/**
 * Serves `GET /setup`: what a deployment still needs. Everybody may read it, so it says of each setting no more than
 * whether it is set and can be used, and nothing at all of a deployment that needs nothing.
 */
export async function showSetup(c: Context<App>): Promise<Response> {
  const state = await setupOf(c.env, new URL(c.req.url).origin)
  if (!wantsJson(c)) return setupPage(state)
  const { problem, steps } = state
  const answer = state.isComplete ? { complete: true } : { complete: false, steps, problem }
  return c.json(answer, 200, { 'cache-control': 'no-store' })
}

async function setupOf(env: Env, origin: string): Promise<SetupState> {
  const { TIDEGATE_KEY, TIDEGATE_SECRET } = env
  const isWeak = TIDEGATE_SECRET && secretProblem(TIDEGATE_SECRET)
  const steps = {
    key: TIDEGATE_KEY ? 'set' : 'missing',
    secret: isWeak ? 'faulty' : TIDEGATE_SECRET ? 'set' : 'missing',
    signIn: await wayToSignIn(env),
    database: await database(env),
  } as const
  const isComplete = Object.values(steps).every((it) => it === 'set')
  const isWorker = platformOf(env.MACHINE) === 'worker'
  return { origin, isWorker, isComplete, steps, problem: deploymentOf(env).problem }
}

/** Whether there is a database besides the demo: of the configuration, or of the registry. */
async function database(env: Env): Promise<StepState> {
  const { find, problem } = deploymentOf(env)
  if (problem) return 'faulty'
  if (env.ENDPOINTS || env.DATABASE_URL) return 'set'
  try {
    const { site } = await find(undefined, {})
    return site && !isDemo(site.endpoint) ? 'set' : 'missing'
  } catch (error) {
    console.error(error)
    return 'unknown'
  }
}
