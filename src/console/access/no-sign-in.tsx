/** Says why nobody can sign in, and where to see what to set. */
export const NoSignIn = ({ message }: { readonly message: string }) => (
  <div class="note">
    <p>{message}</p>
    <p>
      <a href="/setup">What is not set yet</a>
    </p>
  </div>
)
