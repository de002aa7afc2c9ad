/** A small picture of lines. A word beside it says the same. */
export const Icon = ({ paths }: { readonly paths: readonly string[] }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    {paths.map((d) => (
      <path d={d} />
    ))}
  </svg>
)
