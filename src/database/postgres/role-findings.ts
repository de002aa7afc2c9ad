import type { Kinds } from '../role.ts'

const only = 'Only the guard stops it.'
const refused = 'A read-only session refuses it, but the role should not have the right at all.'

/** What may be found out about a role, the worst first, and what it means. */
export const kinds: Kinds = {
  superuser: [
    'high',
    `The role is a superuser: it reads and writes the server's files, runs programs and ends other sessions, all by functions. ${only}`,
  ],
  'server-access': [
    'high',
    `The role is a member of roles that have access to the server itself, or to everything in it. ${only}`,
  ],
  'other-connections': [
    'high',
    `The role may call functions of extensions that open connections, read files or run programs. A read-only session does not cover what they do there. ${only}`,
  ],
  'untrusted-code': [
    'high',
    `The role may call functions in untrusted languages, such as C or plpython3u, which can do anything on the server. ${only}`,
  ],
  'superuser-functions': [
    'high',
    'The role may call functions that run with the rights of a superuser (SECURITY DEFINER). Neither the guard nor the session knows what they do.',
  ],
  'large-objects': [
    'high',
    `The role may call functions that write large objects. Before PostgreSQL 16, a read-only transaction does not refuse them. ${only}`,
  ],
  'large-objects-undone': [
    'low',
    'The role may call functions that write large objects. Before PostgreSQL 16, a read-only transaction does not refuse them. Tidegate rolls every transaction back, and that undoes what they wrote.',
  ],
  'foreign-servers': [
    'high',
    'The role may use foreign servers, and connect to them with dblink. A read-only session does not cover what happens there.',
  ],
  'definer-functions': [
    'low',
    'The role may call functions that run with the rights of another role (SECURITY DEFINER). A read-only session refuses what they write in this database.',
  ],
  'needed-functions': [
    'low',
    'These functions are in untrusted languages, run with the rights of another role, or have access to more than the database. Views, policies, operators or other functions call them, and the role needs them to read those. So nothing is revoked: make sure that they only read.',
  ],
  owner: ['low', `The role owns these, or is a member of the role that owns them. ${refused}`],
  'write-grants': ['low', `The role may write. ${refused}`],
  attributes: ['low', `The role has rights of an administrator. ${refused}`],
  create: ['low', `The role may create objects. ${refused}`],
  sequences: ['low', `The role may advance sequences. ${refused}`],
  'acting-functions': [
    'low',
    'The role may call functions that notify other sessions or write to the log of changes. A read-only transaction does not refuse them. They change no data, and the guard refuses them.',
  ],
}
