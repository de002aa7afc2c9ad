import { DatabaseError } from '../error.ts'
import type { Platform } from '../machine.ts'
import type { ConnectionReport, Finding } from '../role.ts'

/** Maximum number of objects per finding in the text report. The JSON report has more. */
const MAX_SHOWN_OBJECTS = 5

/** Formats a role report for a terminal, with SQL ready to paste. */
export function reported(it: ConnectionReport): string {
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
      '\n-- This SQL removes these rights. Where it says PUBLIC, it affects every role.\n-- Run it in this database, as an administrator:',
    ...statements,
    reader.length > 0 &&
      `\n-- ${needed ? 'For the rest' : 'Or, if others use this role'}, create a new role and put it into the database URL:`,
    ...reader,
    note && `\n${note}`,
  ]
    .filter((line) => line !== false && line !== undefined)
    .join('\n')
}

/** A log line about privileges that only the guard blocks. Undefined if there are none. */
export function warning(
  name: string,
  findings: readonly Finding[],
  platform: Platform,
): string | undefined {
  const kinds = findings.filter(({ severity }) => severity === 'high').map(({ kind }) => kind)
  if (kinds.length === 0) return undefined
  const place = platform === 'stdio' ? 'npx tidegate doctor' : '/doctor'
  return `${name}: its role can do more than read (${kinds.join(', ')}). See ${place}.`
}

/** Explains to the operator why a database could not be inspected. An unexpected error goes to the log. */
export function reason(error: unknown): string {
  if (!(error instanceof DatabaseError)) {
    console.error(error)
    return 'It failed. The reason is in the log.'
  }
  const { kind, message, hint } = error
  if (kind === 'sql' || kind === 'refused') return `Its role cannot be inspected: ${message}`
  return kind === 'timeout' || !hint ? message : `${message} ${hint}`
}
