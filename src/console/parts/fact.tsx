import type { Child, FC } from 'hono/jsx'

/** A fact in a list: its name and its value. Without a value, nothing is shown. */
export const Fact: FC<{
  readonly name: string
  readonly children?: Child | undefined
}> = ({ name, children }) =>
  children !== undefined && children !== null && children !== false ? (
    <>
      <dt dir="auto">{name}</dt>
      <dd dir="auto">{children}</dd>
    </>
  ) : null
