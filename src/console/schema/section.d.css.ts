/** The style of this section, as a text. */
declare const style: string
export default style
