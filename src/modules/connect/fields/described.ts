// What descriptions say in plain words. People write "assigned by the server" where they could have
// written readOnly, and lists of the fields that a request takes where two schemas would have been
// work. Such sentences are guesses when they speak of a field, and quite reliable when they list fields.

/** "The only fields … which can be modified are: kind, masters, and account." */
export function fieldsListedIn(
  description: string,
  names: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const sentence =
    /\bonly\b[^.:]{0,120}\bfields?\b[^.:]{0,120}\b(?:modified|changed|updated|set|edited)\b[^.:]{0,40}?(?:\bare\b|\bis\b|:)\s*:?\s*([^.]{1,2000})/i.exec(
      description,
    );
  const list = sentence?.[1];
  if (list === undefined) return undefined;
  const words = list.split(/[^\w$-]+/).filter((word) => names.has(word));
  return words.length < 2 ? undefined : new Set(words);
}

export type Spoken = "read-only" | "create-only" | "write-only";

/** What the description of a field says of it, if it does. */
export function spokenClass(description: string): Spoken | undefined {
  const text = description.slice(0, 1_000);
  return patterns.find(([, pattern]) => pattern.test(text))?.[0];
}

const patterns: readonly (readonly [Spoken, RegExp])[] = [
  [
    "write-only",
    /\bmust not be (?:sent|returned) by the server\b|\bwrite[- ]only\b|\b(?:never|not) (?:be )?returned\b/i,
  ],
  [
    "read-only",
    /\bread[- ]?only\b|\boutput[- ]only\b|\b(?:assigned|generated|populated|computed|calculated|set|maintained) (?:automatically )?by the (?:server|service|system)\b|^set to [“"']|\bserver[- ](?:generated|assigned)\b|\bignored on (?:input|write|create)/i,
  ],
  [
    "create-only",
    /\b(?:cannot|can't|can not|may not|must not|not be) (?:be )?(?:changed|modified|updated|altered)\b|\bimmutable\b|\bonly (?:be )?(?:set|specified|used|provided|valid)? ?(?:during|at|on|when|upon) (?:creat\w+|provision\w+)|\bwhen creating an?\b|\bduring creation\b/i,
  ],
];
