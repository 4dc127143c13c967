// Words of names: parts of camelCase and snake_case, plurals and singulars. Services write English
// of every kind, so these are rules of thumb: a wrong plural is ugly, and nothing else depends on
// it.

/** "virtualMachineScaleSets" → virtual, machine, scale, sets; all in lower case. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}

export function singularOf(word: string): string {
  if (noPlural.test(word)) return word;
  if (/ies$/i.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:sses|shes|[^a]ches|batches|xes|zzes|statuses|viruses|buses|aliases)$/i.test(word)) {
    return word.slice(0, -2);
  }
  return /s$/i.test(word) && word.length > 2 ? word.slice(0, -1) : word;
}

const noPlural = /(?:series|species|status|ics|ss|us|is|news|data|metadata|dns|tls|https?)$/i;

export function pluralOf(word: string): string {
  if (singularOf(word) !== word) return word;
  if (/(?:[^aeiou])y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(?:s|sh|ch|x|z)$/i.test(word)) return `${word}es`;
  return `${word}s`;
}

/** "VirtualMachineScaleSet", from any way to write it. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z\d]+/)
    .filter((part) => part !== "")
    .map((part) => `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`)
    .join("");
}

/** Whether two names mean the same, however they are written. */
export function isSameName(a: string, b: string): boolean {
  return wordsOf(a).join("") === wordsOf(b).join("");
}
