// Characters at the end of a text. An expression such as /\/+$/ begins again at each of them when
// another character follows, which takes minutes for a long text of a client.

export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
