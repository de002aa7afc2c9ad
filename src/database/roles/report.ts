import type { Reported } from '../examination.ts'

/** Objects of a finding that a person is shown. In JSON there are more. */
const SHOWN = 5

/** What was found as a person reads it in a terminal, the SQL ready to be pasted. */
export function reported(it: Reported): string {
  const { role, findings, reader, note } = it
  const tls = it.tls === undefined ? '' : it.tls ? ', encrypted' : ', not encrypted'
  const needed = findings.some(({ statements }) => statements.length === 0)
  const statements = findings.flatMap(({ statements }) => statements)
  return [
    it.version,
    `Answered in ${it.elapsedMs} ms${tls}.${role ? ` The role is ${role}.` : ''}`,
    ...findings.map(({ kind, severity, sentence, objects, count }) =>
      [
        `\n${severity === 'high' ? 'HIGH' : 'low '} ${kind}`,
        sentence,
        objects.slice(0, SHOWN).join(', ') + (count > SHOWN ? ` … ${count} in all` : ''),
      ].join('\n     '),
    ),
    findings.length === 0 && 'No findings.',
    statements.length > 0 &&
      '\n-- Closes it, for everybody where it says PUBLIC. To be run in this database, by its administrator:',
    ...statements,
    reader.length > 0 &&
      `\n-- ${needed ? 'For the rest' : 'Or, if others use this role'}, makes another for the URL of the database:`,
    ...reader,
    note && `\n${note}`,
  ]
    .filter((line) => line !== false && line !== undefined)
    .join('\n')
}
