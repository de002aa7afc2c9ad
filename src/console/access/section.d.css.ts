/** The style of Access, Settings and Doctor, as a text. */
declare const style: string
export default style
