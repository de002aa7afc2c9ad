import { escaped, page } from './page.ts'

/** Why a sign-in did not work, and what to do. */
export const errorPage = (
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response => page(status, 'This did not work', `<p>${escaped(message)}</p>`, headers)
