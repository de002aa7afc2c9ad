/** Script for a table's form: shows the cost of changes before they are saved. */
export const countWords = `const form = document.querySelector('form.describing')
const said = form?.querySelector('.cost')
const usual = said?.textContent
const count = () => {
  let changes = 0
  let chars = 0
  for (const it of form.querySelectorAll('[name=text]')) {
    const [was, now] = [it.defaultValue.trim(), it.value.trim()]
    if (was === now) continue
    changes++
    chars += now.length - was.length
  }
  const tokens = Math.ceil(Math.abs(chars) / 4)
  said.textContent =
    changes === 0
      ? usual
      : changes + (changes === 1 ? ' change' : ' changes') + ', not saved yet. The model will read about ' +
        tokens + (tokens === 1 ? ' token ' : ' tokens ') + (chars < 0 ? 'fewer' : 'more') +
        ' in describe_table, starting with its next call.'
}
if (said) {
  form.addEventListener('input', count)
  form.addEventListener('reset', () => setTimeout(count))
}
`
