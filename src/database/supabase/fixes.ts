import type { EngineFixes } from '../fix.ts'

export const fixes: EngineFixes = {
  login: () => ({
    sentence:
      'Supabase refuses the token. It was revoked, or cannot read the database of this project.',
    steps: [
      {
        message:
          'Make an access token at supabase.com/dashboard/account/tokens, limited to this project, with the permission to read its database.',
      },
    ],
  }),
}
