/** The style of the pages, as a text. */
declare const style: string
export default style
