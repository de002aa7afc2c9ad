import type { Deployment, Site } from './deployment.ts'
import {
  assertCustomTools,
  type Diagnosis,
  diagnosis,
  gateway,
  type Preview,
  type PreviewAsked,
  previewing,
  type QuestionStates,
  reportGroup,
  type SchemaQuestion,
  type SchemaView,
  type Stage,
  schemaViews,
  stagedDiagnosis,
} from './gateway/index.ts'

/** What an operator looks at, of sites that may be switched off or not be stored. */
export interface Inspection {
  /** Builds the server of a site that may not be stored. Throws ConfigError. */
  check(site: Site): Promise<void>
  /** What an operator should know about the rules of a site's group. Throws ConfigError. */
  report(site: Site): Promise<readonly string[]>
  /** Inspects the databases of these sites. */
  diagnose(
    sites: readonly Site[],
    signal: AbortSignal,
    asked?: { readonly tables?: boolean },
  ): Promise<readonly Diagnosis[]>
  /** Looks at the databases of a site stage by stage. */
  diagnoseInStages(site: Site, signal: AbortSignal): AsyncGenerator<Stage | Diagnosis>
  /** What a model gets of a site. Throws ConfigError. */
  preview(site: Site, asked: PreviewAsked, signal: AbortSignal): Promise<Preview>
  /** Shows a part of the schema of a site, whether it is active or not. Throws NoSchema. */
  view(site: Site, question: SchemaQuestion, signal: AbortSignal): Promise<SchemaView>
}

/** How an operator looks at the sites of a deployment. */
export function inspectionOf({ ioOf, keeping, look }: Deployment): Inspection {
  /** Which verified questions work, looked at now, for a server that answers once. */
  async function statesOf(site: Site, signal: AbortSignal): Promise<QuestionStates> {
    const broken = [...(await look(site, { signal }))].flatMap(([name, problem]) =>
      problem === null ? [] : [[name, problem] as const],
    )
    return { broken: new Map(broken), lookAgain: async () => undefined }
  }

  return {
    async check(site) {
      const io = ioOf(site)
      await assertCustomTools(site.endpoint, io)
      gateway(site.endpoint, io, { group: site.group?.name, rules: site.group?.rules })
    },
    report: async (site) =>
      site.group ? reportGroup(site.endpoint, site.group.rules, ioOf(site)) : [],
    async diagnose(sites, signal, asked) {
      const { diagnose } = await diagnosis()
      // One at a time: each of them already uses all the connections that a request may hold.
      const found: Diagnosis[] = []
      for (const it of sites)
        found.push(...(await diagnose([it.endpoint], ioOf(it), signal, asked)))
      return found
    },
    async *diagnoseInStages(site, signal) {
      const { diagnoseInStages } = await stagedDiagnosis()
      yield* diagnoseInStages(site.endpoint, ioOf(site), signal)
    },
    async preview(site, asked, signal) {
      const { endpoint, group } = site
      const { previewOf } = await previewing()
      const questions = endpoint.questions && (await statesOf(site, signal))
      // As it is served, but not recorded, and without a stream of changes.
      const own = { group: group?.name, rules: group?.rules, questions }
      return previewOf(gateway(endpoint, ioOf(site), { keeping, ...own }), asked, signal)
    },
    async view(site, question, signal) {
      const { viewSchema } = await schemaViews()
      return viewSchema(site.endpoint, ioOf(site), question, signal)
    },
  }
}
