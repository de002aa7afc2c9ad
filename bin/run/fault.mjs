// What is wrong with how the command was given.

/** Something to mend, said in sentences for the person who wrote the command. They hold no secret. */
export class Fault extends Error {
  name = 'Fault'
}
