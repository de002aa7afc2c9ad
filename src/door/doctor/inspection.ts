import {
  assertCustomTools,
  type Diagnosis,
  diagnosis,
  gateway,
  type PreviewAsked,
  previewing,
  type QuestionStates,
  reportGroup,
  type SchemaQuestion,
  schemaViews,
  stagedDiagnosis,
} from '../../gateway/index.ts'
import type { Deployment } from '../deployment.ts'
import type { SiteServers } from '../servers.ts'
import type { Site } from '../sites.ts'

/** The sites in the configuration, and the first ones in the registry. `more` counts those that are left out. */
export async function knownSites({ registry, sites }: Deployment, limit: number) {
  const page = await registry?.('endpoints', { limit })
  const names = (page?.entries ?? []).map(({ name }) => name)
  const stored = await Promise.all(names.map(async (it) => (await sites.find(it, {})).site))
  const all = [...sites.configured, ...stored.filter((it) => it !== undefined)]
  const byName = new Map(all.map((it) => [it.endpoint.name, it]))
  return { sites: [...byName.values()], more: (page?.total ?? 0) - names.length }
}

/**
 * The operator's checks of sites, including sites that are switched off or not stored. `siteOf` finds the site for an
 * item.
 */
export function inspectionOf<It>({ ioOf, keeping, servers }: Deployment, siteOf: (it: It) => Site) {
  /** Checks the verified questions now, for a server that is used only once. */
  async function statesOf(site: Site, signal: AbortSignal): Promise<QuestionStates> {
    const broken = [...(await servers.look(site, { signal }))].flatMap(([name, problem]) =>
      problem === null ? [] : [[name, problem] as const],
    )
    return { broken: new Map(broken), lookAgain: async () => undefined }
  }

  return {
    async check(it: It): Promise<void> {
      const site = siteOf(it)
      const io = ioOf(site)
      await assertCustomTools(site.endpoint, io)
      gateway(site.endpoint, io, { group: site.group?.name, rules: site.group?.rules })
    },
    /** Warnings for the operator about the rules of a site's group. Throws ConfigError. */
    async report(it: It) {
      const site = siteOf(it)
      return site.group ? reportGroup(site.endpoint, site.group.rules, ioOf(site)) : []
    },
    look: (it: It, asked: Parameters<SiteServers['look']>[1]) => servers.look(siteOf(it), asked),
    /** Inspects the databases of these sites. */
    async diagnose(all: readonly It[], signal: AbortSignal, asked?: { readonly tables?: boolean }) {
      const { diagnose } = await diagnosis()
      // One at a time: each of them already uses all the connections that a request can hold.
      const found: Diagnosis[] = []
      for (const site of all.map(siteOf))
        found.push(...(await diagnose([site.endpoint], ioOf(site), signal, asked)))
      return found
    },
    /** The same for one site, stage by stage. */
    async *diagnoseInStages(it: It, signal: AbortSignal) {
      const site = siteOf(it)
      const { diagnoseInStages } = await stagedDiagnosis()
      yield* diagnoseInStages(site.endpoint, ioOf(site), signal)
    },
    async preview(it: It, asked: PreviewAsked, signal: AbortSignal) {
      const site = siteOf(it)
      const { endpoint, group } = site
      const { previewOf } = await previewing()
      const questions = endpoint.questions && (await statesOf(site, signal))
      // The same server as for callers, except that calls are not recorded and there is no stream of changes.
      const own = { group: group?.name, rules: group?.rules, questions }
      return previewOf(gateway(endpoint, ioOf(site), { keeping, ...own }), asked, signal)
    },
    /** Shows part of a site's schema, even if the site is not active. Throws NoSchema. */
    async view(it: It, question: SchemaQuestion, signal: AbortSignal) {
      const site = siteOf(it)
      const { viewSchema } = await schemaViews()
      return viewSchema(site.endpoint, ioOf(site), question, signal)
    },
  }
}
