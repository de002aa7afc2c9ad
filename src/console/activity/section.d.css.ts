/** The style of Activity, as a text. */
declare const style: string
export default style
