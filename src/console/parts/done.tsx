/** Says after a change what was done, by a flag of fixed words in the address. */
export const Done = ({
  flag,
  said,
}: {
  readonly flag: string | undefined
  readonly said: Readonly<Record<string, string>>
}) =>
  flag !== undefined && Object.hasOwn(said, flag) ? (
    <div class="note" role="status">
      <p>{said[flag]}</p>
    </div>
  ) : null
