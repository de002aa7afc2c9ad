/** A stylesheet, as a string. */
declare module '*.css' {
  const style: string
  export default style
}
