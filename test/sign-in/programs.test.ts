import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Deployment, hasDocuments, person, startDeployment } from './deployment.ts'
import { Desk, noTerminal } from './desk.ts'
import { isInstalled, type Program, programs, tools } from './programs.ts'

const why = noTerminal()

for (const program of [...tools, ...programs]) {
  if (!hasDocuments && program.identifies === 'has a document') {
    console.warn(
      `Skipped on Node: ${program.name} shows a document at an address that is not public.`,
    )
    continue
  }
  const missing = isInstalled(program)
    ? why
    : `it is not installed (npm install --no-save --prefix test/sign-in/programs)`
  if (missing === undefined) describeProgram(program)
  else if (process.env.REQUIRE_ALL === '1') {
    test(program.name, () => {
      throw new Error(`${program.name} cannot be run: ${missing}.`)
    })
  } else {
    console.warn(`Skipped for want of ${program.name}: ${missing}.`)
    describe.skip(program.name, () => test('needs to be installed', () => {}))
  }
}

/** Checks that a program signs in, and that it is not asked to sign in again. */
function describeProgram(program: Program): void {
  describe(program.name, () => {
    let deployment: Deployment
    let desk: Desk
    let url: string
    beforeAll(async () => {
      deployment = await startDeployment()
      desk = new Desk(person())
      url = `${deployment.url}/mcp`
    })
    afterAll(async () => {
      await deployment.stop()
      desk.clear()
    })

    /** Uses the program, and returns its requests to the authorization server meanwhile. */
    const use = async (): Promise<string[]> => {
      deployment.exchanges.length = 0
      expect(await program.use(desk, url)).toContain(program.works)
      expect(desk.opened).toHaveLength(1)
      expect(deployment.exchanges).toContainEqual({ asked: 'POST /mcp', status: 200, about: '' })
      return deployment.exchanges
        .filter(({ asked }) => /^POST \/(?:token|register|authorize)$/.test(asked))
        .map(({ asked, status, about }) => `${asked} ${status} ${about.split(' ')[0]}`)
    }
    const refreshed = 'POST /token 200 grant_type=refresh_token'

    test(`signs in, and ${program.identifies}`, async () => {
      deployment.tellNextLife(1)
      await program.signIn(desk, url)
      expect(desk.opened).toHaveLength(1)
      const registered = deployment.exchanges.filter(({ asked }) => asked === 'POST /register')
      expect(registered.length > 0).toBe(program.identifies === 'registers')
      const asked = new URL(desk.opened[0]!).searchParams
      expect(asked.get('resource')).toBe(url)
      expect(asked.get('code_challenge_method')).toBe('S256')
    })

    test('is not asked again when its access token has expired', async () => {
      await deployment.outliveAccessTokens()
      desk.setClockOn()
      expect(new Set([...(await use()), refreshed])).toEqual(new Set([refreshed]))
    })

    test('is not asked again after a restart or a deploy, and keeps its token', async () => {
      await deployment.restart()
      expect(await use()).toEqual([])
      await deployment.deploy()
      expect(await use()).toEqual([])
    })

    test.skipIf(program.refreshes === 'by its clock')(
      'is not asked again when its access token is refused before it expires',
      async () => {
        await deployment.outliveAccessTokens()
        expect(await use()).toContain(refreshed)
      },
    )
  })
}
