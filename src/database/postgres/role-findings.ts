import type { Kinds } from '../role.ts'

const only = 'Only the guard keeps statements from it.'
const refused = 'A read-only session refuses it; the role should, too.'

/** What may be found out about a role, the worst first, and what it means. */
export const kinds: Kinds = {
  superuser: [
    'high',
    `The role is a superuser: it reads and writes the server's files, runs programs and ends other sessions, all by functions. ${only}`,
  ],
  'server-access': [
    'high',
    `The role is a member of roles that reach past the database, or past all rights in it. ${only}`,
  ],
  'other-connections': [
    'high',
    `The role may call functions of extensions that open connections, reach files or run programs: what they do there is no part of our session. ${only}`,
  ],
  'untrusted-code': [
    'high',
    `The role may call functions in languages without bounds, such as C or plpython3u. ${only}`,
  ],
  'superuser-functions': [
    'high',
    'The role may call functions that run with the rights of a superuser (SECURITY DEFINER). Neither the guard nor the session knows what they do.',
  ],
  'large-objects': [
    'high',
    `The role may call functions that write large objects, also in a read-only transaction: it refuses them from PostgreSQL 16 on. ${only}`,
  ],
  'large-objects-undone': [
    'low',
    'The role may call functions that write large objects, also in a read-only transaction: it refuses them from PostgreSQL 16 on. Each transaction of ours is taken back, and they with it.',
  ],
  'foreign-servers': [
    'high',
    'The role may use foreign servers, also to connect to them by dblink. A read-only session ends at this server.',
  ],
  'definer-functions': [
    'low',
    `The role may call functions that run with the rights of somebody else (SECURITY DEFINER). A read-only session refuses what they write in this database.`,
  ],
  'needed-functions': [
    'low',
    'These functions run in languages without bounds, with the rights of somebody else, or reach past the database, and something else calls them: a view, a policy, an operator, another function. Whoever reads that needs them, so nothing is taken: see that they only read.',
  ],
  owner: ['low', `The role owns these, or may become who owns them. ${refused}`],
  'write-grants': ['low', `The role may write. ${refused}`],
  attributes: ['low', `The role has rights of an administrator. ${refused}`],
  create: ['low', `The role may create objects. ${refused}`],
  sequences: ['low', `The role may advance sequences. ${refused}`],
  'acting-functions': [
    'low',
    'The role may call functions that notify other sessions, or write to the log of changes, also in a read-only transaction. They change no data, and the guard refuses them.',
  ],
}
