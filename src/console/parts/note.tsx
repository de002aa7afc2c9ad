import type { Child, FC } from 'hono/jsx'

/** A paragraph that stands out: plain, a warning (`low`), or a problem (`bad`). */
export const Note: FC<{
  readonly kind?: 'low' | 'bad' | undefined
  readonly role?: 'status' | 'alert'
  readonly children: Child
}> = ({ kind, role, children }) => (
  <div class={kind ? `note ${kind}` : 'note'} role={role}>
    <p dir="auto">{children}</p>
  </div>
)
