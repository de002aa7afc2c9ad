import { NotRecognised } from '../connection-string/fault.ts'
import type { StringForms } from '../connection-string/pasted.ts'

/** Connection strings as people write them, for Supabase projects. */
export const pasted: StringForms = {
  schemes: { supabase: [] },
  finish(draft) {
    const ref = (draft.host ?? '').replace(/\.supabase\.co$/i, '').toLowerCase()
    const token = draft.password ?? draft.user
    if (!/^[a-z]{20}$/.test(ref)) {
      throw new NotRecognised(
        'The project is not valid: it must be the 20 letters in https://REF.supabase.co. Write supabase://:TOKEN@REF.',
        'host',
      )
    }
    if (token === undefined) {
      throw new NotRecognised(
        'The token is missing. Make an access token that can read this project, and write supabase://:TOKEN@REF.',
        'password',
      )
    }
    draft.user = undefined
    draft.password = token
    const url = `supabase://:${encodeURIComponent(token)}@${ref}`
    return { url, encryption: 'required', port: 443 }
  },
}
