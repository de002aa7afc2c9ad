/** What the Workbench adds to the style of the pages, as a text. */
declare const style: string
export default style
