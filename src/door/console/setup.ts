import type { Context } from 'hono'
import { wayToSignIn } from '../../auth/index.ts'
import { type SetupState, type StepState, setupPage } from '../../console/index.ts'
import { platformOf } from '../../database/index.ts'
import { isDemo } from '../../gateway/index.ts'
import { secretProblem } from '../../registry/index.ts'
import { type App, wantsJson } from '../admission/admission.ts'
import { deploymentOf } from '../deployment.ts'
import type { Env } from '../env.ts'

/**
 * Serves `GET /setup`, which lists the setup steps still missing. It is public, so it reports only whether each setting
 * is set and valid, and for a complete deployment only that it is complete.
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
  return { origin, isWorker, isComplete, steps, problem: deploymentOf(env).sites.problem }
}

/** `set` if there is a database other than the demo, in the configuration or the registry. */
async function database(env: Env): Promise<StepState> {
  const { sites } = deploymentOf(env)
  if (sites.problem) return 'faulty'
  if (env.ENDPOINTS || env.DATABASE_URL) return 'set'
  try {
    const { site } = await sites.find(undefined, {})
    return site && !isDemo(site.endpoint) ? 'set' : 'missing'
  } catch (error) {
    console.error(error)
    return 'unknown'
  }
}
