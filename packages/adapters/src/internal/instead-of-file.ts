/** Names of the files that keys come in: such a text is shown, since it is no key. */
const NAMED = /^[^\r\n]*\.(?:p8|pem|key|json|txt)$/i;
const PATH = /^(?:\/|\.{1,2}\/|~\/|[a-z]:[\\/]|file:)[^\r\n]*$/i;

/** What a text that should be what is in a file is instead, and what to do; it shows nothing that may be a secret. */
export function insteadOfFile(given: string): string {
  const text = given.trim();
  if (NAMED.test(text)) return `the path '${text}'; give what is in the file: readFileSync('${text}', 'utf8')`;
  if (PATH.test(text)) return `what looks like a path; give what is in the file: readFileSync(path, 'utf8')`;
  if (text.includes('-----BEGIN') && text.includes('\\n'))
    return `a text whose line breaks are a backslash and an n; give it with line breaks: .replaceAll('\\\\n', '\\n')`;
  return `a text of ${given.length} characters that is none`;
}
