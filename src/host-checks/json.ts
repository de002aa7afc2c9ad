// Reads JSON from strangers. Nothing in it has a type until it is checked.
import { isObject } from '../ground/index.ts'

/** The fields in an object that a stranger sent. */
export type JsonFields = Readonly<Record<string, unknown>>

/** The fields in a value. Empty unless the value is an object. */
export const fieldsOf = (value: unknown): JsonFields => (isObject(value) ? value : {})

/** The value in a JSON string. Undefined if it is not valid. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The object in a JSON string. Undefined if there is anything else in it. */
export function objectIn(text: string): JsonFields | undefined {
  const value = jsonIn(text)
  return isObject(value) ? value : undefined
}

/** The strings in a list. Empty unless the value is a list. */
export const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((it) => typeof it === 'string') : []

/** Parses a value as a URL, with `base` if it is relative. Undefined if it is not one. */
export const urlIn = (text: unknown, base?: string): URL | undefined =>
  typeof text === 'string' && URL.canParse(text, base) ? new URL(text, base) : undefined
