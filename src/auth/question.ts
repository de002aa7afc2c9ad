/**
 * Whether an authorization request says each thing once (RFC 6749, section 3.1), so that nobody reads in it another
 * app or another address than we do. Only `resource` may be there twice (RFC 8707).
 */
export function isUnambiguous(parameters: URLSearchParams): boolean {
  const names = [...parameters.keys()].filter((it) => it !== 'resource')
  return new Set(names).size === names.length
}
