/** The style of the pages that add an endpoint, as a text. */
declare const style: string
export default style
