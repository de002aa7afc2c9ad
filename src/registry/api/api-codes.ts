/** For each status, the error code in the body. */
export const apiCodes = {
  400: 'malformed',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid',
  429: 'rate_limited',
  500: 'internal',
  503: 'not_ready',
  507: 'full',
} as const
