// Matches a routing key against the pattern of a topic binding: "*" is one word, "#" any number of
// words. Time is at most the product of the numbers of words, whatever the pattern.

export function matchesTopic(pattern: string, routingKey: string): boolean {
  const wanted = wordsOf(pattern);
  const words = wordsOf(routingKey);
  // Row i: which prefixes of the words the first i parts of the pattern match.
  let row = words.map(() => false);
  row.unshift(true);
  for (const part of wanted) {
    const next: boolean[] = [part === "#" && row[0] === true];
    for (const [at, word] of words.entries()) {
      const isHere = part === "*" || part === word;
      next[at + 1] =
        part === "#" ? row[at + 1] === true || next[at] === true : isHere && row[at] === true;
    }
    row = next;
  }
  return row[words.length] === true;
}

function wordsOf(text: string): readonly string[] {
  return text === "" ? [] : text.split(".");
}
