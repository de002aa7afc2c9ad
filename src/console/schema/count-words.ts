/** The script of the form of a table: it says what the changes cost before they are saved. */
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
      : changes + (changes === 1 ? ' change' : ' changes') + ', not saved yet. The model reads about ' +
        tokens + (tokens === 1 ? ' token ' : ' tokens ') + (chars < 0 ? 'less' : 'more') +
        ' in describe_table, from its next call on.'
}
if (said) {
  form.addEventListener('input', count)
  form.addEventListener('reset', () => setTimeout(count))
}
`
