import type { Platform } from '../machine.ts'
import type { Finding, Reported } from '../role.ts'

/** How many objects of a finding a person is shown. JSON has more. */
const MAX_SHOWN_OBJECTS = 5

/** A role report as text for a terminal, with SQL that can be pasted. */
export function reported(it: Reported): string {
  const { role, findings, reader, note } = it
  const tls = it.tls === undefined ? '' : it.tls ? ', encrypted' : ', not encrypted'
  const needed = findings.some(({ statements }) => statements.length === 0)
  const statements = findings.flatMap(({ statements }) => statements)
  return [
    it.version,
    `Answered in ${it.elapsedMs} ms${tls}.${role ? ` The role is ${role}.` : ''}`,
    ...(it.broken ?? []).map((sentence) => `\nBROKEN ${sentence}`),
    ...findings.map(({ kind, severity, sentence, objects, count }) =>
      [
        `\n${severity === 'high' ? 'HIGH' : 'low '} ${kind}`,
        sentence,
        objects.slice(0, MAX_SHOWN_OBJECTS).join(', ') +
          (count > MAX_SHOWN_OBJECTS ? ` … ${count} in all` : ''),
      ].join('\n     '),
    ),
    findings.length === 0 && 'No findings.',
    statements.length > 0 &&
      '\n-- This SQL takes these rights away. Where it says PUBLIC, it affects every role.\n-- Run it in this database, as an administrator:',
    ...statements,
    reader.length > 0 &&
      `\n-- ${needed ? 'For the rest' : 'Or, if others use this role'}, make a new role and put it into the URL of the database:`,
    ...reader,
    note && `\n${note}`,
  ]
    .filter((line) => line !== false && line !== undefined)
    .join('\n')
}

/** A line for the log about rights that only the guard stops. Returns nothing if there are none. */
export function warning(
  name: string,
  findings: readonly Finding[],
  platform: Platform,
): string | undefined {
  const kinds = findings.filter(({ severity }) => severity === 'high').map(({ kind }) => kind)
  if (kinds.length === 0) return undefined
  const place = platform === 'stdio' ? 'npx tidegate doctor' : '/doctor'
  return `${name}: its role may do more than read (${kinds.join(', ')}). See ${place}.`
}
