import { Note } from '../parts/note.tsx'
import { type Answers, ask, type ConsoleVisit } from '../visit.ts'
import type { DoctorCheck } from './check.tsx'

/** Maximum number of findings to show. */
const MAX_FINDINGS = 20

const STATES = { ok: 'ok', note: 'low', problem: 'bad' } as const

/** Connects to an endpoint, or to `/mcp`, the way apps do. Returns problems and a verdict for each app. */
export async function checkApps(
  visit: ConsoleVisit,
  endpoint?: string,
): Promise<readonly DoctorCheck[]> {
  const path = `/doctor/hosts${endpoint === undefined ? '' : `/${endpoint}`}`
  const { body, refused } = await ask<Answers['HostTest']>(visit, 'GET', path)
  if (refused) return [{ state: 'bad', sentence: refused.message }]
  const wrong = body.findings.filter(({ state }) => state !== 'ok').slice(0, MAX_FINDINGS)
  return [
    ...body.hosts.map(({ name, verdict, state }) => ({
      state: STATES[state],
      sentence: `${name}: ${verdict}`,
    })),
    ...wrong.map(({ state, seen, fix }) => ({
      state: STATES[state],
      sentence: seen,
      fix: fix && <Note kind={state === 'problem' ? 'bad' : 'low'}>{fix}</Note>,
    })),
  ]
}
