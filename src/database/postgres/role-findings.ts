import type { Kinds } from '../role.ts'

const only = 'Only the guard stops it.'
const refused = 'A read-only session refuses it, but the role should not have the right at all.'

/** The possible findings about a role, worst first, with their explanations. */
export const kinds: Kinds = {
  superuser: [
    'high',
    `The role is a superuser: it can read and write the server's files, run programs and end other sessions, all through functions. ${only}`,
  ],
  'server-access': [
    'high',
    `The role is a member of roles that have access to the server itself, or to everything in it. ${only}`,
  ],
  'other-connections': [
    'high',
    `The role can call functions of extensions that open connections, read files or run programs. A read-only session does not cover what they do there. ${only}`,
  ],
  'untrusted-code': [
    'high',
    `The role can call functions in untrusted languages, such as C or plpython3u, which can do anything on the server. ${only}`,
  ],
  'superuser-functions': [
    'high',
    'The role can call functions that run with the rights of a superuser (SECURITY DEFINER). Neither the guard nor the session can check what they do.',
  ],
  'large-objects': [
    'high',
    `The role can call functions that write large objects. Before PostgreSQL 16, a read-only transaction does not refuse them. ${only}`,
  ],
  'large-objects-undone': [
    'low',
    'The role can call functions that write large objects. Before PostgreSQL 16, a read-only transaction does not refuse them. Tidegate rolls back every transaction, which undoes what they wrote.',
  ],
  'foreign-servers': [
    'high',
    'The role can use foreign servers, and connect to them with dblink. A read-only session does not cover what happens there.',
  ],
  'definer-functions': [
    'low',
    'The role can call functions that run with the rights of another role (SECURITY DEFINER). A read-only session refuses what they write in this database.',
  ],
  'needed-functions': [
    'low',
    'These functions are in untrusted languages, run with the rights of another role, or have access to more than the database. Views, policies, operators or other functions call them, and the role needs them to read those. So nothing is revoked: make sure that they only read.',
  ],
  owner: ['low', `The role owns these, or is a member of the role that owns them. ${refused}`],
  'write-grants': ['low', `The role can write. ${refused}`],
  attributes: ['low', `The role has administrator rights. ${refused}`],
  create: ['low', `The role can create objects. ${refused}`],
  sequences: ['low', `The role can advance sequences. ${refused}`],
  'acting-functions': [
    'low',
    'The role can call functions that notify other sessions or write to the change log. A read-only transaction does not refuse them. They change no data, and the guard refuses them.',
  ],
}
